package io.distributedlock.backend.etcd;

import java.time.Duration;

import io.grpc.Status;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.distributedlock.LockRefusedException;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link EtcdRefusals}.
 */
class EtcdRefusalsTests {

	private final EtcdRefusals refusals = new EtcdRefusals("locks", new EtcdLockSettings("locks/", "lock:",
			"test@host:1", Duration.ofSeconds(1), Duration.ofSeconds(10), Duration.ofHours(24)));

	@ParameterizedTest
	@CsvSource({ "PERMISSION_DENIED, etcdserver: permission denied",
			"INVALID_ARGUMENT, 'etcdserver: authentication failed, invalid user ID or password'",
			"INVALID_ARGUMENT, etcdserver: user name is empty",
			"FAILED_PRECONDITION, etcdserver: authentication is not enabled" })
	void whatAnAdministratorHasToChangeIsRefusedForGood(Status.Code code, String words) {
		Throwable fault = fault(code, words);

		Throwable classified = this.refusals.classify(fault);

		assertThat(classified).isInstanceOf(LockRefusedException.class).hasCause(fault);
		assertThat(EtcdFaults.isPassing(classified)).isFalse();
	}

	@ParameterizedTest
	@CsvSource({ "UNAVAILABLE, etcdserver: leader changed", "UNAVAILABLE, etcdserver: no leader",
			"UNAVAILABLE, 'etcdserver: request timed out, possibly due to previous leader failure'",
			"UNAUTHENTICATED, etcdserver: invalid auth token",
			"INVALID_ARGUMENT, etcdserver: revision of auth store is old", "UNAVAILABLE, io exception",
			"RESOURCE_EXHAUSTED, etcdserver: too many requests", "DEADLINE_EXCEEDED, deadline exceeded" })
	void whatPassesByItselfIsNot(Status.Code code, String words) {
		Throwable fault = fault(code, words);

		assertThat(this.refusals.classify(fault)).isSameAs(fault);
		assertThat(EtcdFaults.isPassing(fault)).isTrue();
	}

	@Test
	void faultOfALoginCountsAsWhatWasSaidToIt() {
		Throwable silent = Status.UNAUTHENTICATED.withCause(fault(Status.Code.UNAVAILABLE, "io exception"))
			.asRuntimeException();
		Throwable refused = Status.UNAUTHENTICATED
			.withCause(fault(Status.Code.INVALID_ARGUMENT,
					"etcdserver: authentication failed, invalid user ID or password"))
			.asRuntimeException();

		assertThat(EtcdFaults.isPassing(silent)).isTrue();
		assertThat(this.refusals.classify(silent)).isSameAs(silent);
		assertThat(this.refusals.classify(refused)).isInstanceOf(LockRefusedException.class)
			.hasMessage("The user 'locks' can't log in to etcd: authentication failed, invalid user ID or password");
	}

	@Test
	void missingRightNamesUserPermissionAndKeys() {
		assertThat(this.refusals.classify(fault(Status.Code.PERMISSION_DENIED, "etcdserver: permission denied")))
			.hasMessage("Etcd refuses what locks need: permission denied. The user 'locks' needs a role with the"
					+ " permission 'readwrite' on all keys that begin with 'locks/' (lock.etcd.namespace)");
	}

	private static Throwable fault(Status.Code code, String words) {
		return code.toStatus().withDescription(words).asRuntimeException();
	}

}
