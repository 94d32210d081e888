package io.distributedlock.it.redis;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.data.redis.connection.RedisConnectionFactory;

import io.distributedlock.LockInfo;
import io.distributedlock.LockMode;
import io.distributedlock.LockRequest;
import io.distributedlock.contract.ListedLocks;
import io.distributedlock.engine.HandOverSettings;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.Orphan;
import io.distributedlock.spi.Renewal;
import io.distributedlock.spi.RenewalOutcome;
import io.distributedlock.spi.SeveralKeys;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A server of a Cluster that the application addresses as a stand-alone one. It refuses
 * scripts with keys of different slots.
 */
class ClusterBehindOneEndpointIntegrationTests {

	private static final RedisProcess SERVER = RedisCluster.startAlone();

	private static final List<RedisConnectionFactory> FACTORIES = List.of(RedisFactories.lettuce(SERVER.port()),
			RedisFactories.jedis(SERVER.port()));

	@AfterAll
	static void end() throws Exception {
		for (RedisConnectionFactory factory : FACTORIES) {
			((DisposableBean) factory).destroy();
		}
		SERVER.close();
	}

	static List<RedisConnectionFactory> factories() {
		return FACTORIES;
	}

	@ParameterizedTest
	@MethodSource("factories")
	void manyLeasesAreRenewedTogetherFoundAndReleased(RedisConnectionFactory factory) {
		try (RedisTestClient client = new RedisTestClient(factory)) {
			List<Renewal> renewals = new ArrayList<>();
			for (int i = 0; i < 150; i++) {
				renewals.add(new Renewal(client.acquire(RedisTestClient.newKey()), RedisTestClient.TTL));
			}

			for (int round = 0; round < 2; round++) {
				assertThat(RedisTestClient.await(client.connection().renew(renewals))).hasSize(150)
					.hasOnlyElementsOfType(RenewalOutcome.Renewed.class);
			}

			List<String> keys = renewals.stream().map((renewal) -> renewal.grant().target().key()).toList();
			assertThat(RedisTestClient.await(ListedLocks.all(client.connection()))).extracting(LockInfo::key)
				.containsAll(keys);
			RedisTestClient.await(client.connection()
				.abandon(renewals.subList(0, 100)
					.stream()
					.map(Renewal::grant)
					.map((grant) -> new Orphan(grant.target(), grant.ownerId()))
					.toList()));
			for (Renewal renewal : renewals.subList(100, 150)) {
				LeaseGrant grant = renewal.grant();
				assertThat(client.release(grant)).isTrue();
			}
			assertThat(RedisTestClient.await(ListedLocks.all(client.connection()))).extracting(LockInfo::key)
				.doesNotContainAnyElementsOf(keys);
		}
	}

	@ParameterizedTest
	@MethodSource("factories")
	void severalKeysAreTakenOneByOneOnceTheServerHasRefusedThemTogether(RedisConnectionFactory factory) {
		LockTarget target = new LockTarget(List.of(RedisTestClient.newKey(), RedisTestClient.newKey()),
				LockMode.EXCLUSIVE);
		try (RedisTestClient client = new RedisTestClient(factory)) {
			AttemptOutcome outcome = client.attempt(target, client.request(RedisTestClient.TTL, false));

			assertThat(outcome).isInstanceOfSatisfying(AttemptOutcome.Unavailable.class, (unavailable) -> {
				assertThat(unavailable.sent()).isFalse();
				assertThat(unavailable.cause()).hasMessageContaining(target.keys().toString());
			});
			assertThat(client.connection().severalKeys(target)).isEqualTo(SeveralKeys.ONE_BY_ONE);
		}
	}

	@ParameterizedTest
	@MethodSource("factories")
	void requestThatWaitsForSeveralKeysIsGranted(RedisConnectionFactory factory) {
		LockRequest request = LockRequest.of(List.of(RedisTestClient.newKey(), RedisTestClient.newKey()));
		try (RedisTestEngine engine = new RedisTestEngine(factory, HandOverSettings.NONE)) {
			assertThat(engine.template().acquire(request).release()).isTrue();
		}
	}

}
