package io.distributedlock.fencing;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import io.distributedlock.Lease;
import io.distributedlock.LockContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

class FencingGuardTests {

	private final List<String> checks = new ArrayList<>();

	private final FencingGuard guard = (resource, token) -> this.checks.add(resource + "@" + token);

	@Test
	void tokenOfTheRunningCodeIsCheckedWhereNoneIsGiven() {
		Lease lease = mock(Lease.class);
		given(lease.fencingToken()).willReturn(42L);

		try (LockContext.Binding binding = LockContext.bind(lease)) {
			this.guard.check("account:1");
		}

		assertThat(this.checks).containsExactly("account:1@42");
	}

	@Test
	void codeWithoutALockIsRefused() {
		assertThatIllegalStateException().isThrownBy(() -> this.guard.check("account:1"))
			.withMessageContaining("No lock is held");
		assertThat(this.checks).isEmpty();
	}

	@Test
	void tableIsNamedAsItIsOrNotAtAll() {
		assertThat(new FenceTable("app.fence_1").named("INSERT INTO @@table@@")).isEqualTo("INSERT INTO app.fence_1");
		for (String name : List.of("", "a b", "a;b", "1a", "a.", "a'")) {
			assertThatIllegalArgumentException().isThrownBy(() -> new FenceTable(name))
				.withMessageContaining("'" + name + "'");
		}
	}

	@Test
	void tokenLiesInTheHashSlotOfItsValue() {
		assertThat(RedisFencingGuard.tokenKey("account:1")).isEqualTo("{account:1}:token");
		assertThat(RedisFencingGuard.tokenKey("{account}:1")).isEqualTo("{account}:1:token");
		assertThat(RedisFencingGuard.tokenKey("a{b}c")).isEqualTo("a{b}c:token");
		for (String key : List.of("", "a}b", "{}a")) {
			assertThatIllegalArgumentException().isThrownBy(() -> RedisFencingGuard.tokenKey(key))
				.withMessageContaining("'" + key + "'");
		}
	}

}
