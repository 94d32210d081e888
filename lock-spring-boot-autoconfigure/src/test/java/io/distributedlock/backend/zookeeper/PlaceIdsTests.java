package io.distributedlock.backend.zookeeper;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import io.distributedlock.LockMode;
import io.distributedlock.spi.OwnerId;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link PlaceIds}.
 */
class PlaceIdsTests {

	private final OwnerId ownerId = OwnerId.random();

	@ParameterizedTest
	@EnumSource
	void idShowsItsModeAndHasTheFormOfAnOwnerId(LockMode mode) {
		OwnerId id = PlaceIds.of(mode, this.ownerId);

		assertThat(PlaceIds.modeOf(id)).isEqualTo(mode);
		assertThat(id.value()).matches("[0-9a-f]{32}").endsWith(this.ownerId.value().substring(12));
		assertThat(PlaceIds.of(mode, id)).isEqualTo(id);
	}

	@Test
	void exclusiveNodeHasTheOwnerIdItself() {
		assertThat(PlaceIds.of(LockMode.EXCLUSIVE, this.ownerId)).isSameAs(this.ownerId);
	}

	@ParameterizedTest
	@EnumSource
	void exclusiveOwnerIdThatBeginsWithATagByChanceDoesNotShowThatMode(LockMode other) {
		OwnerId chance = PlaceIds.of(other, this.ownerId);

		OwnerId id = PlaceIds.of(LockMode.EXCLUSIVE, chance);

		assertThat(PlaceIds.modeOf(id)).isEqualTo(LockMode.EXCLUSIVE);
		assertThat(id.value().substring(1)).isEqualTo(chance.value().substring(1));
	}

}
