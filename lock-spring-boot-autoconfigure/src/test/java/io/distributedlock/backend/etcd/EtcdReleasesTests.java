package io.distributedlock.backend.etcd;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import com.google.protobuf.ByteString;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.KeyValue;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.distributedlock.LockMode;
import io.distributedlock.backend.KeyPrefix;
import io.distributedlock.backend.etcd.EtcdRequests.CountedAnswer;
import io.distributedlock.contract.VirtualLockClock;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.OwnerId;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * Tests for the forced release of a group whose members leave meanwhile.
 */
class EtcdReleasesTests {

	private static final CountedAnswer LEFT = new CountedAnswer(false, 1, 20);

	private static final CountedAnswer ENDED = new CountedAnswer(true, 1, 21);

	private final EtcdKeys keys = new EtcdKeys("", new KeyPrefix(""));

	private final EtcdLockQueue queue = mock(EtcdLockQueue.class);

	private final EtcdLockHolders holders = mock(EtcdLockHolders.class);

	private final EtcdSessions sessions = mock(EtcdSessions.class);

	private final EtcdReleases releases = new EtcdReleases(mock(EtcdRequests.class), this.keys, this.queue,
			this.holders, this.sessions, mock(GivenUpEntries.class), new VirtualLockClock());

	private final KeyValue first = member(5);

	private final KeyValue second = member(6);

	@BeforeEach
	void letTheFirstMemberLeave() {
		given(this.queue.ifHeld(anyLong(), any(), eq(5L), any())).willReturn(CompletableFuture.completedFuture(LEFT));
		given(this.queue.ifHeld(anyLong(), any(), eq(6L), any())).willReturn(CompletableFuture.completedFuture(ENDED));
		given(this.sessions.held(any(), any())).willReturn(List.of());
	}

	@Test
	void otherMembersAreReleasedAlthoughTheOldestHasLeft() {
		given(this.holders.oldest(anyLong(), any())).willReturn(CompletableFuture.completedStage(this.first),
				CompletableFuture.completedStage(this.second));

		assertThat(this.releases.forceRelease("k", Duration.ZERO).toCompletableFuture()).isCompletedWithValue(true);
	}

	@Test
	void groupThatHasLeftHadNoHolder() {
		given(this.holders.oldest(anyLong(), any())).willReturn(CompletableFuture.completedStage(this.first),
				CompletableFuture.completedStage(null));

		assertThat(this.releases.forceRelease("k", Duration.ZERO).toCompletableFuture()).isCompletedWithValue(false);
	}

	private KeyValue member(long revision) {
		ByteSequence name = this.keys.entry(LockTarget.of("k", LockMode.SHARED), OwnerId.random());
		return new KeyValue(io.etcd.jetcd.api.KeyValue.newBuilder()
			.setKey(ByteString.copyFrom(name.getBytes()))
			.setCreateRevision(revision)
			.build(), ByteSequence.EMPTY);
	}

}
