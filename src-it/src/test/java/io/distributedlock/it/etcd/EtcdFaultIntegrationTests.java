package io.distributedlock.it.etcd;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.etcd.jetcd.Client;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.distributedlock.it.net.TcpProxy;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.Contender;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.Orphan;
import io.distributedlock.spi.OwnerId;
import io.distributedlock.spi.RenewalOutcome;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for requests and answers that are lost on the way, and for keys that are taken
 * away.
 */
@RequiresEtcd
class EtcdFaultIntegrationTests {

	private static final Duration SESSION_TTL = Duration.ofSeconds(10);

	private final String key = EtcdTestClient.newKey();

	private TcpProxy proxy;

	private Client behindProxy;

	private EtcdTestClient first;

	private EtcdTestClient second;

	@BeforeEach
	void open() {
		this.proxy = TcpProxy.to(EtcdServer.process().port());
		this.behindProxy = Client.builder()
			.endpoints("http://127.0.0.1:" + this.proxy.port())
			.waitForReady(false)
			.retryMaxAttempts(0)
			.build();
		// Longer than a new connection takes on a busy machine.
		this.first = new EtcdTestClient(this.behindProxy, EtcdTestClient.settings(SESSION_TTL, Duration.ofSeconds(20)));
		this.second = new EtcdTestClient(EtcdServer.client());
		this.first.release(this.first.acquire(this.key));
	}

	@AfterEach
	void close() {
		this.proxy.restore();
		this.first.close();
		this.second.close();
		this.behindProxy.close();
		this.proxy.close();
	}

	@Test
	void acquisitionWhoseAnswerWasLostIsRepeatedAndGrantedOnce() {
		this.proxy.answers().drop();
		CompletableFuture<AttemptOutcome> attempt = attempt(this.first.request(false));
		Awaitility.await("the request has arrived").until(() -> places() == 1);
		long revision = EtcdTestClient.places(EtcdServer.client(), this.key).get(0).getCreateRevision();

		this.proxy.restore();

		LeaseGrant grant = EtcdTestClient.granted(EtcdTestClient.await(attempt));
		assertThat(grant.token().first()).isEqualTo(revision * 1024);
		assertThat(places()).isEqualTo(1);
		assertThat(this.first.release(grant)).isTrue();
		assertThat(places()).isZero();
	}

	@Test
	void acquisitionThatIsNeverAnsweredIsUnavailableAndItsAbandonmentLeavesNothing() {
		this.proxy.answers().drop();
		LeaseRequest request = new LeaseRequest(OwnerId.random(), EtcdTestClient.TTL, 1, null, true,
				Duration.ofSeconds(1), Duration.ZERO);

		AttemptOutcome outcome = EtcdTestClient.await(attempt(request));

		assertThat(outcome).isInstanceOfSatisfying(AttemptOutcome.Unavailable.class,
				(unavailable) -> assertThat(unavailable.sent()).isTrue());
		this.proxy.restore();
		EtcdTestClient.await(this.first.connection()
			.abandon(List.of(new Orphan(LockTarget.exclusive(this.key), request.ownerId()))));
		assertThat(places()).isZero();
		assertThat(this.second.release(this.second.acquire(this.key))).isTrue();
	}

	@Test
	void acquisitionThatIsNeverAnsweredIsGivenBackAlthoughItIsNotAbandoned() {
		this.proxy.answers().drop();
		LeaseRequest request = new LeaseRequest(OwnerId.random(), EtcdTestClient.TTL, 1, null, false,
				Duration.ofSeconds(1), Duration.ZERO);
		EtcdTestClient.await(attempt(request));

		this.proxy.restore();

		Awaitility.await().atMost(Duration.ofSeconds(20)).until(() -> places() == 0);
	}

	@Test
	void attemptOfAClientThatIsCutOffBeforeItHasASessionIsKnownNotToHaveBeenSent() {
		this.proxy.cut();
		EtcdTestClient third = new EtcdTestClient(this.behindProxy,
				EtcdTestClient.settings(SESSION_TTL, Duration.ofSeconds(1)));
		try {
			assertThat(third.attempt(this.key)).isInstanceOfSatisfying(AttemptOutcome.Unavailable.class,
					(unavailable) -> assertThat(unavailable.sent()).isFalse());
		}
		finally {
			this.proxy.restore();
			third.close();
		}
	}

	@Test
	void releaseWhoseAnswerWasLostIsCarriedOutAndNeverReportedLost() {
		LeaseGrant grant = this.first.acquire(this.key);
		this.proxy.answers().drop();
		CompletionStage<Boolean> release = this.first.connection().release(grant, Duration.ZERO);
		Awaitility.await("the request has arrived").until(() -> places() == 0);

		this.proxy.restore();

		boolean released = EtcdTestClient.await(release.exceptionally((unknown) -> true));
		assertThat(released).isTrue();
	}

	@Test
	void releaseThatCanNotBeSentGoesOnUntilItIsAnswered() {
		EtcdTestClient third = new EtcdTestClient(this.behindProxy,
				EtcdTestClient.settings(Duration.ofSeconds(60), Duration.ofSeconds(1)));
		try {
			LeaseGrant grant = third.acquire(this.key);
			this.proxy.cut();
			CompletionStage<Boolean> release = third.connection().release(grant, Duration.ZERO);
			boolean failed = EtcdTestClient.await(release.handle((stood, fault) -> fault != null));
			assertThat(failed).isTrue();
			assertThat(places()).isEqualTo(1);

			this.proxy.restore();

			Awaitility.await().atMost(Duration.ofSeconds(40)).until(() -> places() == 0);
		}
		finally {
			this.proxy.restore();
			third.close();
		}
	}

	@Test
	void tickWhoseAnswerWasLostIsGrantedAllTheSame() {
		Instant tick = Instant.parse("2026-03-29T01:30:00Z");
		this.proxy.answers().delay(Duration.ofMillis(400));
		CompletableFuture<AttemptOutcome> attempt = attempt(this.first.request(false, tick));
		Awaitility.await("the place is taken").until(() -> places() == 1);
		Awaitility.await("the tick is written").until(this::isTickWritten);

		this.proxy.cut();
		this.proxy.answers().delay(Duration.ZERO);
		this.proxy.restore();

		LeaseGrant grant = EtcdTestClient.granted(EtcdTestClient.await(attempt));
		assertThat(this.second.attempt(this.key, this.second.request(false, tick)))
			.isEqualTo(new AttemptOutcome.Done(tick));
		assertThat(this.first.release(grant)).isTrue();
	}

	@Test
	void connectionThatBreaksAgainAndAgainEndsNoSession() {
		LeaseGrant grant = this.first.acquire(this.key);

		for (int i = 0; i < 5; i++) {
			this.proxy.cut();
			this.proxy.restore();
			Awaitility.await("a new connection")
				.atMost(Duration.ofSeconds(20))
				.until(() -> this.first.renew(grant) instanceof RenewalOutcome.Renewed);
		}

		assertThat(this.first.lost()).isEmpty();
		assertThat(this.first.release(grant)).isTrue();
	}

	@Test
	void waiterWhosePlaceWasTakenAwayQueuesAgainBehindTheOthers() {
		LeaseGrant grant = this.second.acquire(this.key);
		AtomicInteger wakeUps = new AtomicInteger();
		Contender waiter = this.first.connection().contend(LockTarget.exclusive(this.key), wakeUps::incrementAndGet);
		assertThat(EtcdTestClient.await(waiter.attempt(this.first.request(true))))
			.isInstanceOf(AttemptOutcome.Busy.class);
		Contender other = this.second.connection().contend(LockTarget.exclusive(this.key), () -> {
		});
		EtcdTestClient.await(other.attempt(this.second.request(true)));

		EtcdTestClient.await(EtcdServer.client()
			.getKVClient()
			.delete(EtcdTestClient.places(EtcdServer.client(), this.key)
				.stream()
				.sorted((one, next) -> Long.compare(one.getCreateRevision(), next.getCreateRevision()))
				.toList()
				.get(1)
				.getKey()));

		Awaitility.await("the waiter is woken").until(() -> wakeUps.get() > 0);
		assertThat(this.second.release(grant)).isTrue();
		assertThat(EtcdTestClient.await(waiter.attempt(this.first.request(true))))
			.isInstanceOf(AttemptOutcome.Busy.class);
		LeaseGrant next = EtcdTestClient.granted(EtcdTestClient.await(other.attempt(this.second.request(true))));
		assertThat(this.second.release(next)).isTrue();
		LeaseGrant last = EtcdTestClient.granted(EtcdTestClient.await(waiter.attempt(this.first.request(true))));
		assertThat(this.first.renew(last)).isInstanceOf(RenewalOutcome.Renewed.class);
		assertThat(this.first.release(last)).isTrue();
	}

	private CompletableFuture<AttemptOutcome> attempt(LeaseRequest request) {
		return this.first.connection().contend(LockTarget.exclusive(this.key), () -> {
		}).attempt(request).toCompletableFuture().orTimeout(60, TimeUnit.SECONDS);
	}

	private int places() {
		return EtcdTestClient.places(EtcdServer.client(), this.key).size();
	}

	private boolean isTickWritten() {
		return !EtcdTestClient
			.stored(EtcdServer.client(), EtcdTestClient.NAMESPACE + EtcdTestClient.PREFIX + this.key + "/t")
			.isEmpty();
	}

}
