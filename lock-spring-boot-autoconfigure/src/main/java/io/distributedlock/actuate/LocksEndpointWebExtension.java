package io.distributedlock.actuate;

import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;

import io.distributedlock.LockUnavailableException;
import io.distributedlock.actuate.LocksDescriptors.FailureDescriptor;
import io.distributedlock.actuate.LocksDescriptors.InstanceDescriptor;
import io.distributedlock.actuate.LocksDescriptors.SingleLockDescriptor;

/**
 * Answers web requests to the {@link LocksEndpoint}: with 503 if a store can't be asked,
 * and with keys only for callers that may see them.
 *
 * @since 0.1.0
 */
@EndpointWebExtension(endpoint = LocksEndpoint.class)
@RegisterReflectionForBinding(FailureDescriptor.class)
public class LocksEndpointWebExtension {

	private final LocksEndpoint delegate;

	private final Show showValues;

	private final Set<String> roles;

	/**
	 * Create the extension.
	 * @param delegate the endpoint
	 * @param showValues whether the keys of locks are shown
	 * @param roles the roles that are authorized to see them; without any, each
	 * authenticated caller is
	 */
	public LocksEndpointWebExtension(LocksEndpoint delegate, Show showValues, Set<String> roles) {
		this.delegate = delegate;
		this.showValues = showValues;
		this.roles = roles;
	}

	/**
	 * Return the leases and the waiters of this instance. Does not ask the stores.
	 * @param security the caller
	 * @return the descriptor
	 */
	@ReadOperation
	public InstanceDescriptor instance(SecurityContext security) {
		return this.delegate.instance(isShown(security));
	}

	/**
	 * Return one lock of a store, or a page of its locks.
	 * @param security the caller
	 * @param store the name of the store
	 * @param key the key of one lock, or {@code null} for a page
	 * @param next the value from the previous page
	 * @param limit the greatest number of locks of a page
	 * @return the answer: 404 if no store has this name, 503 if it can't be asked
	 */
	@ReadOperation
	public WebEndpointResponse<? extends @Nullable OperationResponseBody> store(SecurityContext security,
			@Selector String store, @Nullable Object key, @Nullable String next, @Nullable Integer limit) {
		String single = (key != null) ? EndpointKeys.single(key) : null;
		try {
			return answer(this.delegate.store(store, single, next, limit, isShown(security)));
		}
		catch (LockUnavailableException ex) {
			return unavailable(FailureDescriptor.of(store, ex));
		}
	}

	/**
	 * Take a lock away from its holder, in this instance or in another.
	 * @param security the caller
	 * @param store the name of the store
	 * @param key the key
	 * @return the answer: 404 if no store has this name, 503 if it can't be asked
	 */
	@DeleteOperation
	public WebEndpointResponse<? extends @Nullable OperationResponseBody> forceRelease(SecurityContext security,
			@Selector String store, Object key) {
		try {
			return answer(this.delegate.forceRelease(store, EndpointKeys.single(key), security.getPrincipal()));
		}
		catch (LockUnavailableException ex) {
			return unavailable(FailureDescriptor.of(store, ex));
		}
	}

	private boolean isShown(SecurityContext security) {
		return this.showValues.isShown(security, this.roles);
	}

	private static WebEndpointResponse<? extends @Nullable OperationResponseBody> answer(
			@Nullable OperationResponseBody body) {
		if (body == null) {
			return new WebEndpointResponse<>(WebEndpointResponse.STATUS_NOT_FOUND);
		}
		return (body instanceof SingleLockDescriptor lock && lock.error() != null) ? unavailable(lock)
				: new WebEndpointResponse<>(body);
	}

	private static WebEndpointResponse<OperationResponseBody> unavailable(OperationResponseBody body) {
		return new WebEndpointResponse<>(body, WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE);
	}

}
