package io.distributedlock.it.etcd;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import io.etcd.jetcd.Client;
import io.etcd.jetcd.auth.Permission;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import io.distributedlock.LockRefusedException;
import io.distributedlock.autoconfigure.LockAutoConfiguration;
import io.distributedlock.contract.ListedLocks;
import io.distributedlock.it.rights.FullCycle;
import io.distributedlock.it.rights.StartFailure;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.Contender;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.Renewal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for requests that etcd refuses until an administrator changes its users or their
 * permissions. Each call reports the refusal with the user and the keys.
 */
@RequiresEtcd
class EtcdRightsIntegrationTests {

	private static final Duration SESSION_TTL = Duration.ofSeconds(20);

	private final String key = EtcdTestClient.newKey();

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(SslAutoConfiguration.class, LockAutoConfiguration.class))
		.withPropertyValues("lock.backend=etcd", "lock.etcd.endpoints=" + SecuredEtcd.url(),
				"lock.etcd.ssl.bundle=locks",
				"spring.ssl.bundle.pem.locks.truststore.certificate=" + SecuredEtcd.certificate());

	@Test
	void rightsOfTheReferenceAreEnough() {
		this.runner
			.withPropertyValues("lock.etcd.user=" + SecuredEtcd.USER, "lock.etcd.password=" + SecuredEtcd.PASSWORD)
			.run((context) -> {
				assertThat(context).hasNotFailed();
				FullCycle.run(context);
				FullCycle.runGroups(context);
				FullCycle.runSeveralKeys(context);
			});
	}

	@ParameterizedTest
	@CsvSource({ "reader,locks/,READ", "writer,locks/,WRITE", "stranger,shop/,READWRITE" })
	void startWithLessNamesTheStepTheUserThePermissionAndTheKeys(String user, String prefix, Permission.Type type) {
		SecuredEtcd.addUser(user, prefix, type);

		this.runner
			.withPropertyValues("lock.etcd.user=" + user, "lock.etcd.password=" + SecuredEtcd.PASSWORD,
					"lock.startup-timeout=1h")
			.run((context) -> assertThat(StartFailure.description(context))
				.isEqualTo("The store 'etcd' can't keep the locks: It failed at taking a lock: Etcd refuses what locks"
						+ " need: permission denied. The user '" + user + "' needs a role with the permission"
						+ " 'readwrite' on all keys that begin with 'locks/' (lock.etcd.namespace)"));
	}

	@Test
	void wrongPasswordEndsTheStartAtOnceWithTheUser() {
		this.runner
			.withPropertyValues("lock.etcd.user=" + SecuredEtcd.USER, "lock.etcd.password=wrong",
					"lock.startup-timeout=1h")
			.run((context) -> assertThat(StartFailure.description(context)).isEqualTo(
					"The store 'etcd' can't keep the locks: It failed at taking a lock: The user 'locks' can't log"
							+ " in to etcd: authentication failed, invalid user ID or password"));
	}

	@Test
	void userThatEtcdDoesNotAskForEndsTheStart() {
		this.runner
			.withPropertyValues("lock.etcd.endpoints=" + EtcdServer.url(), "lock.etcd.ssl.bundle=",
					"lock.etcd.user=locks", "lock.etcd.password=secret")
			.run((context) -> assertThat(context).getFailure()
				.hasStackTraceContaining(LockRefusedException.class.getName())
				.hasStackTraceContaining("authentication is not enabled"));
	}

	@Test
	void missingUserEndsTheStart() {
		this.runner.run((context) -> assertThat(context).getFailure()
			.hasStackTraceContaining(LockRefusedException.class.getName())
			.hasStackTraceContaining("set 'lock.etcd.user'"));
	}

	@Test
	void rightThatIsTakenAwayIsNamedByEachCallAndIsEnoughWhenItIsBack() {
		SecuredEtcd.addUser("changing", "locks/", Permission.Type.READWRITE);
		try (Client connections = SecuredEtcd.connect("changing", SecuredEtcd.PASSWORD);
				EtcdTestClient client = new EtcdTestClient(connections, EtcdTestClient.settings(SESSION_TTL))) {
			LockTarget target = LockTarget.exclusive(this.key);
			LeaseGrant grant = client.acquire(this.key);
			Contender waiter = client.connection().contend(target, () -> {
			});
			EtcdTestClient.await(waiter.attempt(client.request(true)));
			assertThat(EtcdTestClient.await(client.connection().wakesContenders(target))).isTrue();

			SecuredEtcd.dropRights("changing");

			AttemptOutcome outcome = client.attempt(EtcdTestClient.newKey());
			assertThat(outcome).isInstanceOfSatisfying(AttemptOutcome.Unavailable.class, (unavailable) -> {
				assertThat(unavailable.cause()).isInstanceOf(LockRefusedException.class)
					.hasMessageContaining("'locks/'");
				assertThat(unavailable.sent()).isFalse();
			});
			assertThat(EtcdTestClient.await(waiter.attempt(client.request(true)))).isInstanceOfSatisfying(
					AttemptOutcome.Unavailable.class,
					(unavailable) -> assertThat(unavailable.cause()).isInstanceOf(LockRefusedException.class));
			assertRefused(() -> client.connection().wakesContenders(target));
			assertRefused(() -> client.connection().renew(List.of(new Renewal(grant, EtcdTestClient.TTL))));
			assertRefused(() -> client.connection().release(grant, Duration.ZERO));
			assertRefused(() -> client.connection().find(this.key));
			assertRefused(() -> ListedLocks.all(client.connection()));
			assertRefused(() -> client.connection().forceRelease(this.key, Duration.ZERO));

			SecuredEtcd.restoreRights("changing");

			waiter.withdraw();
			Awaitility.await("the refused release").atMost(Duration.ofSeconds(40)).until(() -> isFree(client));
		}
	}

	private boolean isFree(EtcdTestClient client) {
		return client.attempt(this.key) instanceof AttemptOutcome.Granted granted && client.release(granted.grant());
	}

	private void assertRefused(Supplier<CompletionStage<?>> call) {
		assertThatExceptionOfType(CompletionException.class).isThrownBy(() -> EtcdTestClient.await(call.get()))
			.havingCause()
			.isInstanceOf(LockRefusedException.class)
			.withMessageContaining("readwrite")
			.withMessageContaining("'locks/'");
	}

}
