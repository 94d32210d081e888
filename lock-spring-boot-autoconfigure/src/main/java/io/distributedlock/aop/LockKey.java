package io.distributedlock.aop;

import java.util.List;

import org.jspecify.annotations.Nullable;

import io.distributedlock.InvalidLockRequestException;
import io.distributedlock.LockRequest;
import io.distributedlock.spi.KeyTexts;

/**
 * The source of the key of a method's lock.
 */
sealed interface LockKey {

	/**
	 * Return a request for the key of a call, with defaults for everything else.
	 * @throws InvalidLockRequestException if the call has no valid key
	 */
	LockRequest request(@Nullable Object target, @Nullable Object[] args);

	/**
	 * Return the parameter type that shows at startup that calls have several keys.
	 * @return the type, or {@code null} if the number of keys is known only at the call
	 */
	default @Nullable Class<?> severalKeys() {
		return null;
	}

	/**
	 * The same key for every call.
	 */
	record Fixed(LockRequest request) implements LockKey {

		@Override
		public LockRequest request(@Nullable Object target, @Nullable Object[] args) {
			return this.request;
		}

	}

	/**
	 * A key, or several, from the arguments of the call.
	 *
	 * @param prefix the text before the result of each expression; empty without a name
	 * @param expressions the expressions, at least one
	 * @param methodText the method, for errors
	 */
	record Computed(String prefix, List<KeyExpression> expressions, String methodText) implements LockKey {

		@Override
		public LockRequest request(@Nullable Object target, @Nullable Object[] args) {
			if (this.expressions.size() == 1) {
				return request(this.expressions.get(0), target, args);
			}
			return LockRequest.of(this.expressions.stream()
				.flatMap((each) -> request(each, target, args).getKeys().stream())
				.toList());
		}

		private LockRequest request(KeyExpression expression, @Nullable Object target, @Nullable Object[] args) {
			List<String> values;
			try {
				values = expression.keys(target, args);
			}
			catch (InvalidLockRequestException ex) {
				throw new InvalidLockRequestException(describe(expression, ex.getMessage()), ex);
			}
			try {
				return (values.size() == 1) ? LockRequest.of(this.prefix.concat(values.get(0)))
						: LockRequest.of(values.stream().map(this.prefix::concat).toList());
			}
			catch (InvalidLockRequestException ex) {
				throw new InvalidLockRequestException(describe(expression, "is refused: " + ex.getMessage()), ex);
			}
		}

		@Override
		public @Nullable Class<?> severalKeys() {
			Class<?> type = this.expressions.get(0).typeOfParameter();
			return (type != null && KeyTexts.standsForSeveralKeys(type)) ? type : null;
		}

		private String describe(KeyExpression expression, @Nullable String problem) {
			return "The key expression \"" + expression.text() + "\" of " + this.methodText + " " + problem;
		}

	}

}
