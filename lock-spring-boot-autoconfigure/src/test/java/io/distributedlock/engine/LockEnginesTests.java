package io.distributedlock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;

import io.distributedlock.InvalidLockRequestException;
import io.distributedlock.Lease;
import io.distributedlock.LockContext;
import io.distributedlock.LockRequest;
import io.distributedlock.LockRequestCustomizer;
import io.distributedlock.LockTemplate;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.backend.local.LocalLockBackend;
import io.distributedlock.backend.local.LocalStore;
import io.distributedlock.contract.CutOffBackend;
import io.distributedlock.contract.VirtualLockClock;
import io.distributedlock.spi.LeaseRetention;
import io.distributedlock.spi.LockListener;
import io.distributedlock.spi.Scopes;
import io.distributedlock.spi.Scopes.Scope;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

/**
 * Tests for two stores behind one template and one set of scopes.
 */
class LockEnginesTests {

	private static final LockRequest REQUEST = LockRequest.of("order:42");

	private static final LockRequest AT_PEAR = REQUEST.backend("pear");

	private final VirtualLockClock clock = new VirtualLockClock();

	private final CutOffBackend apple = backend();

	private final CutOffBackend pear = backend();

	private final List<LockRequestCustomizer> customizers = new ArrayList<>();

	private final List<String> acquired = Collections.synchronizedList(new ArrayList<>());

	private final LockEngines engines = engines((request) -> {
		LockRequest result = request;
		for (LockRequestCustomizer customizer : this.customizers) {
			result = customizer.customize(result);
		}
		return result;
	});

	private final Scopes scopes = new DefaultScopes(this.engines, LeaseRetention.NONE);

	private final LockTemplate template = new DefaultLockTemplate(this.engines, this.scopes);

	private final Scopes pearScopes = new StoreScopes("pear", this.scopes);

	private final LockTemplate pearTemplate = new DefaultLockTemplate(this.engines.at("pear"), this.pearScopes);

	private CutOffBackend backend() {
		return new CutOffBackend(new LocalLockBackend(new LocalStore(this.clock), "test", this.clock));
	}

	private LockEngines engines(LockRequestCustomizer customizer) {
		LockEngine first = engine("apple", this.apple, List.of(customizer));
		return new LockEngines(first, List.of(engine("pear", this.pear, List.of())));
	}

	private LockEngine engine(String name, CutOffBackend backend, List<LockRequestCustomizer> changes) {
		return new LockEngine(name, backend, EngineSettings.DEFAULTS, this.clock, List.of(new LockListener() {

			@Override
			public void acquired(String store, LockRequest request, Lease lease, Duration waited) {
				LockEnginesTests.this.acquired.add(store);
			}

		}), changes);
	}

	/**
	 * Return the stores of the leases in the listeners' events, once they have received
	 * all of them.
	 */
	private List<String> acquired() {
		this.engines.all().forEach((engine) -> await().until(engine::areListenersIdle));
		return this.acquired;
	}

	private boolean isHeld(CutOffBackend store) {
		return store.isConnected() && store.find("order:42").toCompletableFuture().join().isPresent();
	}

	@Test
	void holdersAtAllStoresAreWaitedForUntilNoneIsLeft() throws Exception {
		Lease atPear = this.template.acquire(AT_PEAR);
		Thread stopping = new Thread(() -> this.engines.awaitHolders(Duration.ofDays(1)));
		stopping.start();
		await().until(() -> stopping.getState() == Thread.State.WAITING);

		Lease atApple = this.template.acquire(REQUEST);
		assertThat(atPear.release()).isTrue();
		await().until(() -> stopping.getState() == Thread.State.WAITING);
		Lease again = this.template.acquire(AT_PEAR);
		assertThat(atApple.release()).isTrue();
		await().until(() -> stopping.getState() == Thread.State.WAITING);
		assertThat(again.release()).isTrue();
		stopping.join(TimeUnit.SECONDS.toMillis(10));

		assertThat(stopping.isAlive()).isFalse();
		this.engines.all().forEach((engine) -> assertThat(engine.isRunning()).isTrue());
	}

	@Test
	void holdersAtSeveralStoresAreWaitedForNoLongerThanAtOne() throws Exception {
		this.template.acquire(AT_PEAR);
		this.template.acquire(REQUEST);
		int timers = this.clock.pending();
		Thread stopping = new Thread(() -> this.engines.awaitHolders(Duration.ofMinutes(1)));
		stopping.start();
		await().until(() -> this.clock.pending() > timers);

		this.clock.advance(Duration.ofMinutes(1));
		stopping.join(TimeUnit.SECONDS.toMillis(10));

		assertThat(stopping.isAlive()).isFalse();
	}

	@Test
	void requestGoesToTheStoreThatItNames() {
		Lease lease = this.template.acquire(AT_PEAR);

		assertThat(isHeld(this.pear)).isTrue();
		assertThat(isHeld(this.apple)).isFalse();
		assertThat(acquired()).containsExactlyInAnyOrder("pear");
		assertThat(lease.release()).isTrue();
	}

	@Test
	void requestThatNamesNoneGoesToTheDefaultOne() {
		this.template.acquire(REQUEST);
		this.template.acquire(LockRequest.of("order:43").backend("apple"));

		assertThat(acquired()).containsExactlyInAnyOrder("apple", "apple");
	}

	@Test
	void everyMethodOfTheTemplateGoesToTheStoreThatIsNamed() {
		this.template.executeWithoutResult(AT_PEAR, (lease) -> assertThat(isHeld(this.pear)).isTrue());
		this.template.execute(AT_PEAR, Lease::fencingToken);
		this.template.tryExecute(AT_PEAR, Lease::fencingToken).orElseThrow();
		this.template.tryExecuteWithoutResult(AT_PEAR, (lease) -> assertThat(isHeld(this.apple)).isFalse());
		this.template.tryAcquire(AT_PEAR).orElseThrow().close();
		this.template.acquireAsync(AT_PEAR).toCompletableFuture().join().close();
		this.template.tryAcquireAsync(AT_PEAR).toCompletableFuture().join().orElseThrow().close();
		this.template.executeAsync(AT_PEAR, (lease) -> lease.releaseAsync()).toCompletableFuture().join();

		assertThat(acquired()).hasSize(8).containsOnly("pear");
	}

	@Test
	void sameKeyIsAnotherLockAtAnotherStore() {
		Lease atApple = this.template.acquire(REQUEST);
		Lease atPear = this.template.acquire(AT_PEAR);

		assertThat(this.template.tryAcquire(REQUEST)).isEmpty();
		assertThat(this.template.tryAcquire(AT_PEAR)).isEmpty();
		assertThat(atApple.release()).isTrue();
		assertThat(atPear.isHeld()).isTrue();
		assertThat(this.template.tryAcquire(REQUEST)).isPresent();
	}

	@Test
	void scopeIsReEnteredForTheSameKeyAtTheSameStoreAlone() {
		Scope outer = this.scopes.open(REQUEST);

		Scope elsewhere = this.scopes.open(AT_PEAR);
		Scope inner = this.scopes.open(REQUEST.backend("apple"));
		Scope innerElsewhere = this.scopes.open(AT_PEAR);

		assertThat(elsewhere.lease()).isNotSameAs(outer.lease());
		assertThat(inner.lease()).isSameAs(outer.lease());
		assertThat(innerElsewhere.lease()).isSameAs(elsewhere.lease());
		assertThat(acquired()).containsExactlyInAnyOrder("apple", "pear");
		assertThat(this.scopes.leasesThatMatter()).containsExactlyInAnyOrder(outer.lease(), elsewhere.lease());
		innerElsewhere.close();
		inner.close();
		elsewhere.close();
		assertThat(isHeld(this.pear)).isFalse();
		assertThat(isHeld(this.apple)).isTrue();
		outer.close();
		assertThat(isHeld(this.apple)).isFalse();
	}

	@Test
	void contextShowsTheLeaseOfTheInnermostScopeWhicheverStoreItIsOf() {
		Scope atApple = this.scopes.open(REQUEST);
		Scope atPear = this.scopes.open(AT_PEAR);
		assertThat(LockContext.current("order:42")).isSameAs(atPear.lease());

		Scope again = this.scopes.open(REQUEST);

		assertThat(LockContext.current("order:42")).isSameAs(atApple.lease());
		again.close();
		assertThat(LockContext.current("order:42")).isSameAs(atPear.lease());
		atPear.close();
		assertThat(LockContext.current("order:42")).isSameAs(atApple.lease());
		atApple.close();
	}

	@Test
	void frontEndOfAStoreGoesToItAndSharesTheScopesOfTheThread() {
		Scope outer = this.scopes.open(AT_PEAR);

		Scope inner = this.pearScopes.tryOpen(REQUEST).orElseThrow();
		Lease innermost = this.pearTemplate.execute(REQUEST, (lease) -> lease);

		assertThat(inner.lease()).isSameAs(outer.lease());
		assertThat(innermost).isSameAs(outer.lease());
		assertThat(this.pearTemplate.tryAcquire(AT_PEAR)).isEmpty();
		assertThat(this.pearScopes.leasesThatMatter()).containsExactly(outer.lease());
		assertThat(acquired()).containsExactlyInAnyOrder("pear");
		inner.close();
		outer.close();
	}

	@Test
	void frontEndOfAStoreRefusesRequestsThatNameAnotherOne() {
		LockRequest request = REQUEST.backend("apple");

		assertThatExceptionOfType(InvalidLockRequestException.class)
			.isThrownBy(() -> this.pearTemplate.acquire(request))
			.withMessageContaining("names the backend 'apple'")
			.withMessageContaining("a front end of 'pear' only");
		assertThatExceptionOfType(InvalidLockRequestException.class).isThrownBy(() -> this.pearScopes.open(request));
		assertThat(this.pearTemplate.acquireAsync(request).toCompletableFuture()).isCompletedExceptionally();
	}

	@Test
	void unknownNameIsRefusedWithTheNamesThereAre() {
		LockRequest request = REQUEST.backend("plum");

		assertThatExceptionOfType(InvalidLockRequestException.class).isThrownBy(() -> this.template.acquire(request))
			.withMessage(
					"The lock on [order:42] names the backend 'plum', which is not set up; there are [apple, pear]");
		assertThatExceptionOfType(InvalidLockRequestException.class)
			.isThrownBy(() -> this.template.tryExecute(request, Lease::fencingToken));
		assertThatExceptionOfType(CompletionException.class)
			.isThrownBy(() -> this.template.tryAcquireAsync(request).toCompletableFuture().join())
			.withCauseInstanceOf(InvalidLockRequestException.class);
		assertThatIllegalArgumentException().isThrownBy(() -> this.engines.at("plum")).withMessageContaining("plum");
	}

	@Test
	void customizersChooseTheStoreToo() {
		this.customizers.add((request) -> "slow".equals(request.getName()) ? request.backend("pear") : request);

		Scope outer = this.scopes.open(REQUEST.name("slow"));
		Scope inner = this.scopes.open(AT_PEAR);
		this.template.acquire(REQUEST.name("fast"));

		assertThat(inner.lease()).isSameAs(outer.lease());
		assertThat(acquired()).containsExactlyInAnyOrder("pear", "apple");
		inner.close();
		outer.close();
	}

	@Test
	void customizersAreAskedOnceForEachRequestAndSeeTheStoreOfItsFrontEnd() {
		List<String> seen = new ArrayList<>();
		this.customizers.add((request) -> {
			seen.add(request.getBackend());
			return request;
		});

		this.template.acquire(AT_PEAR).close();
		this.pearTemplate.acquire(REQUEST).close();
		this.pearTemplate.execute(REQUEST, Lease::fencingToken);
		this.template.acquire(REQUEST).close();

		assertThat(seen).containsExactly("pear", "pear", "pear", null);
	}

	@Test
	void keyThatACustomizerChangesIsReEntered() {
		this.customizers.add((request) -> LockRequest.of("tenant:" + request.getKeys().get(0)));

		Scope outer = this.scopes.open(REQUEST);
		Scope inner = this.scopes.open(REQUEST);

		assertThat(inner.lease()).isSameAs(outer.lease());
		assertThat(outer.lease().key()).isEqualTo("tenant:order:42");
		inner.close();
		outer.close();
	}

	@Test
	void storeThatIsDownDoesNotDisturbTheOthers() {
		this.pear.setCutOff(true);

		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> this.template.tryAcquire(AT_PEAR))
			.withMessageContaining("'pear'");
		Lease lease = this.template.tryAcquire(REQUEST).orElseThrow();
		this.engines.get("pear").stop();
		assertThat(lease.isHeld()).isTrue();
		assertThat(lease.release()).isTrue();
	}

	@Test
	void twoEnginesOfOneNameAreRefused() {
		LockEngine first = engine("apple", backend(), List.of());
		LockEngine second = engine("apple", backend(), List.of());

		assertThatIllegalArgumentException().isThrownBy(() -> new LockEngines(first, List.of(second)))
			.withMessageContaining("'apple'");
	}

}
