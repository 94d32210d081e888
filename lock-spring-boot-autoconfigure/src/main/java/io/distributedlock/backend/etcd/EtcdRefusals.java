package io.distributedlock.backend.etcd;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.grpc.Status;
import org.jspecify.annotations.Nullable;

import io.distributedlock.LockRefusedException;
import io.distributedlock.spi.CompletionCauses;

/**
 * Detects requests that etcd refuses until an administrator changes its users or their
 * permissions, and explains what to change.
 */
final class EtcdRefusals {

	private static final String PERMISSION = "permission denied";

	private static final String NO_AUTHENTICATION = "authentication is not enabled";

	private static final List<String> LOGIN = List.of("authentication failed, invalid user ID or password",
			"user name not found", "no password given for the user", "password is empty");

	// By the words in etcd's answer.
	private final Map<String, String> explanations = new LinkedHashMap<>();

	/**
	 * Create the explanations of refusals.
	 * @param user the user, or {@code null} if that is not known here
	 * @param settings the settings, which contain the namespace
	 */
	EtcdRefusals(@Nullable String user, EtcdLockSettings settings) {
		String who = (user != null) ? "The user '" + user + "'" : "The user of the client";
		String keys = settings.namespace().isEmpty() ? "all keys"
				: "all keys that begin with '" + settings.namespace() + "' (lock.etcd.namespace)";
		this.explanations.put(PERMISSION, "Etcd refuses what locks need: " + PERMISSION + ". " + who
				+ " needs a role with the permission 'readwrite' on " + keys);
		this.explanations.put("user name is empty",
				"Etcd requires authentication, but the client of the locks has no user;"
						+ " set 'lock.etcd.user' and 'lock.etcd.password'");
		this.explanations.put(NO_AUTHENTICATION, who + " can't log in, since " + NO_AUTHENTICATION
				+ " in etcd; enable it, or remove 'lock.etcd.user' and 'lock.etcd.password'");
		LOGIN.forEach((words) -> this.explanations.put(words, who + " can't log in to etcd: " + words));
	}

	/**
	 * Return a {@link LockRefusedException} for a refusal, and any other fault unchanged.
	 */
	Throwable classify(Throwable fault) {
		Throwable cause = CompletionCauses.unwrap(fault);
		if (cause instanceof LockRefusedException) {
			return cause;
		}
		boolean denied = EtcdFaults.statusOf(cause).getCode() == Status.Code.PERMISSION_DENIED;
		String explanation = denied ? this.explanations.get(PERMISSION) : explanation(cause);
		return (explanation != null) ? new LockRefusedException(explanation, cause) : cause;
	}

	private @Nullable String explanation(Throwable fault) {
		return this.explanations.entrySet()
			.stream()
			.filter((known) -> EtcdFaults.contains(fault, known.getKey()))
			.map(Map.Entry::getValue)
			.findFirst()
			.orElse(null);
	}

}
