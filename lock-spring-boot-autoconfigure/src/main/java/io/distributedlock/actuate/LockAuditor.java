package io.distributedlock.actuate;

import java.security.Principal;
import java.util.LinkedHashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.audit.AuditEvent;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.context.ApplicationEventPublisher;

/**
 * Publishes an audit event for each forced release.
 *
 * @since 0.1.0
 */
public final class LockAuditor {

	static final String TYPE = "LOCK_FORCE_RELEASE";

	static final String ANONYMOUS = "anonymous";

	private final ApplicationEventPublisher publisher;

	/**
	 * Create an auditor.
	 * @param publisher publishes to the application
	 */
	public LockAuditor(ApplicationEventPublisher publisher) {
		this.publisher = publisher;
	}

	/**
	 * Publish an event. The key is exact, so that it identifies the lock.
	 */
	void forcedRelease(@Nullable Principal principal, String key, String store, String outcome) {
		String name = (principal != null) ? principal.getName() : null;
		Map<String, Object> data = new LinkedHashMap<>();
		data.put("key", key);
		data.put("store", store);
		data.put("outcome", outcome);
		this.publisher
			.publishEvent(new AuditApplicationEvent(new AuditEvent((name != null) ? name : ANONYMOUS, TYPE, data)));
	}

}
