package io.distributedlock.observation;

import org.junit.jupiter.api.Test;

import io.distributedlock.LockRequest;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LockNameTags}.
 */
class LockNameTagsTests {

	private final LockNameTags names = new LockNameTags(2);

	@Test
	void firstNamesKeepTheirTag() {
		assertThat(this.names.of("order")).isEqualTo("order");
		assertThat(this.names.of("invoice")).isEqualTo("invoice");
		assertThat(this.names.of("order")).isEqualTo("order");
	}

	@Test
	void furtherNamesShareATag() {
		this.names.of("order");
		this.names.of("invoice");

		assertThat(this.names.of("report")).isEqualTo("other");
		assertThat(this.names.of("invoice")).isEqualTo("invoice");
	}

	@Test
	void requestWithoutNameDoesNotShowItsKey() {
		assertThat(this.names.of(LockRequest.of("order:42"))).isEqualTo("none");
	}

}
