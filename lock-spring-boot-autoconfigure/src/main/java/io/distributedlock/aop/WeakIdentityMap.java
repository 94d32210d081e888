package io.distributedlock.aop;

import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

import org.jspecify.annotations.Nullable;

/**
 * A thread-safe map with weak keys that are compared by identity.
 */
final class WeakIdentityMap<V> {

	private final ConcurrentMap<Key, V> values = new ConcurrentHashMap<>();

	private final ReferenceQueue<Object> gone = new ReferenceQueue<>();

	void put(Object object, V value) {
		for (Reference<?> key = this.gone.poll(); key != null; key = this.gone.poll()) {
			this.values.remove(key);
		}
		this.values.put(new Key(object, this.gone), value);
	}

	@Nullable V get(Object object) {
		return this.values.get(new Key(object, null));
	}

	private static final class Key extends WeakReference<Object> {

		private final int hash;

		Key(Object object, @Nullable ReferenceQueue<Object> gone) {
			super(object, gone);
			this.hash = System.identityHashCode(object);
		}

		@Override
		public boolean equals(@Nullable Object other) {
			if (this == other) {
				return true;
			}
			Object object = get();
			return object != null && other instanceof Key key && key.get() == object;
		}

		@Override
		public int hashCode() {
			return this.hash;
		}

	}

}
