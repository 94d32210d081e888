package io.distributedlock.actuate;

import java.security.Principal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.audit.AuditEvent;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LockAuditor}.
 */
class LockAuditorTests {

	private final List<Object> published = new ArrayList<>();

	private final LockAuditor auditor = new LockAuditor(this.published::add);

	private AuditEvent event() {
		assertThat(this.published).hasSize(1).hasOnlyElementsOfType(AuditApplicationEvent.class);
		return ((AuditApplicationEvent) this.published.get(0)).getAuditEvent();
	}

	@Test
	void eventNamesTheCallerAndTheExactKey() {
		this.auditor.forcedRelease(() -> "alice", "order\n42", "redis", "released");

		assertThat(event().getPrincipal()).isEqualTo("alice");
		assertThat(event().getType()).isEqualTo("LOCK_FORCE_RELEASE");
		assertThat(event().getData()).isEqualTo(Map.of("key", "order\n42", "store", "redis", "outcome", "released"));
	}

	@Test
	void callerWithoutANameIsAnonymous() {
		this.auditor.forcedRelease(null, "k", "redis", "not-held");
		this.auditor.forcedRelease(new Nameless(), "k", "redis", "unknown");

		assertThat(this.published).extracting((event) -> ((AuditApplicationEvent) event).getAuditEvent().getPrincipal())
			.containsExactly("anonymous", "anonymous");
	}

	private static final class Nameless implements Principal {

		@Override
		public @Nullable String getName() {
			return null;
		}

	}

}
