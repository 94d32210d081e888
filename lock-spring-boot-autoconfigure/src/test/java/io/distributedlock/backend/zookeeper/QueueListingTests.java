package io.distributedlock.backend.zookeeper;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Test;

import io.distributedlock.LockMode;
import io.distributedlock.spi.OwnerId;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link QueueListing}.
 */
class QueueListingTests {

	private final OwnerId ownerId = OwnerId.random();

	@Test
	void placesAreInTheOrderOfTheirNumbers() {
		QueueListing listing = QueueListing.of(List.of(name(12), name(3), name(7)));

		assertThat(listing.queue()).extracting(QueueNode::number).containsExactly(3, 7, 12);
		assertThat(listing.position(name(3), LockMode.EXCLUSIVE, 0).before()).isEmpty();
		assertThat(listing.position(name(12), LockMode.EXCLUSIVE, 0).before()).extracting(QueueNode::name)
			.containsExactly(name(3), name(7));
	}

	@Test
	void numberThatWrappedRoundComesAfterThoseBefore() {
		QueueListing listing = QueueListing.of(List.of(name(Integer.MIN_VALUE + 1), name(Integer.MAX_VALUE - 1),
				name(Integer.MIN_VALUE), name(Integer.MAX_VALUE)));

		assertThat(listing.queue()).extracting(QueueNode::number)
			.containsExactly(Integer.MAX_VALUE - 1, Integer.MAX_VALUE, Integer.MIN_VALUE, Integer.MIN_VALUE + 1);
	}

	@Test
	void numberBelowZeroComesBeforeZero() {
		QueueListing listing = QueueListing.of(List.of(name(0), name(-1)));

		assertThat(listing.queue()).extracting(QueueNode::number).containsExactly(-1, 0);
	}

	@Test
	void nameShowsOwnerAndSession() {
		QueueNode node = QueueNode.parse(QueueNode.prefix(this.ownerId, 0xF00000000000000AL) + "0000000042");

		assertThat(node).isNotNull();
		assertThat(node.id()).isEqualTo(this.ownerId);
		assertThat(node.session()).isEqualTo(0xF00000000000000AL);
	}

	@Test
	void ticksAndCooldownsAreNotInTheWay() {
		TickNode tick = TickNode.of(1_774_747_800_250L, this.ownerId);
		CooldownNode cooldown = CooldownNode.of(Duration.ofNanos(1_500_001), this.ownerId);

		QueueListing listing = QueueListing.of(List.of(tick.name(), name(3), cooldown.name(), "lock-0000000001",
				"_c_5b4ae-lock-0000000000", "tick-x", TickNode.of(-5, this.ownerId).name()));

		assertThat(listing.queue()).hasSize(1);
		assertThat(listing.latestTick()).isEqualTo(tick);
		assertThat(listing.ticks()).extracting(TickNode::millis).containsExactly(1_774_747_800_250L, -5L);
		assertThat(listing.cooldowns()).containsExactly(cooldown);
		assertThat(cooldown.length()).isEqualTo(Duration.ofMillis(2));
	}

	@Test
	void namesThatAreNotKnownAreKeptApartAndThoseWithADotLeftOut() {
		QueueListing listing = QueueListing
			.of(List.of(name(3), "tick-x", ".note", this.ownerId.value() + "-1-shared-0"));

		assertThat(listing.unknown()).containsExactly("tick-x", this.ownerId.value() + "-1-shared-0");
	}

	@Test
	void lengthOfACooldownIsBounded() {
		CooldownNode cooldown = CooldownNode.parse("cooldown-999999999999999999-" + this.ownerId.value());

		assertThat(cooldown).isNotNull();
		assertThat(cooldown.length()).isEqualTo(Duration.ofDays(3_650));
	}

	private String name(int number) {
		return QueueNode.prefix(this.ownerId, 0x1234L) + String.format("%010d", number);
	}

}
