package io.distributedlock.autoconfigure;

import java.util.concurrent.atomic.AtomicReference;

import io.grpc.Context;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link LockEtcdSender}.
 */
class LockEtcdSenderTests {

	private final LockEtcdSender sender = new LockEtcdSender();

	private final AtomicReference<Context> used = new AtomicReference<>();

	private final AtomicReference<Thread> thread = new AtomicReference<>();

	@Test
	void requestIsSentOnTheThreadThatMakesItWithoutItsContext() throws Exception {
		Context.CancellableContext call = Context.current().withCancellation();
		call.cancel(null);

		call.run(() -> {
			Context former = Context.current();
			this.sender.submit(() -> {
				this.used.set(Context.current());
				this.thread.set(Thread.currentThread());
			});
			assertThat(Context.current()).isSameAs(former);
		});

		assertThat(this.used).hasValue(Context.ROOT);
		assertThat(this.thread).hasValue(Thread.currentThread());
	}

	@Test
	void contextIsBackAfterARequestThatFails() {
		Context.CancellableContext call = Context.current().withCancellation();

		call.run(() -> {
			Context former = Context.current();
			assertThatIllegalStateException().isThrownBy(() -> this.sender.execute(() -> {
				throw new IllegalStateException();
			}));
			assertThat(Context.current()).isSameAs(former);
		});
		call.cancel(null);
	}

}
