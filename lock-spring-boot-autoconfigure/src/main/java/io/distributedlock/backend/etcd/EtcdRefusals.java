package io.distributedlock.backend.etcd;

import java.util.List;
import java.util.Optional;

import io.grpc.Status;
import org.jspecify.annotations.Nullable;

import io.distributedlock.LockRefusedException;
import io.distributedlock.spi.CompletionCauses;

/**
 * Tells what etcd refuses until somebody changes its users or their rights, and says what
 * to change.
 */
final class EtcdRefusals {

	private static final String PERMISSION = "permission denied";

	private static final String NO_USER = "user name is empty";

	private static final String NO_AUTHENTICATION = "authentication is not enabled";

	private static final List<String> LOGIN = List.of("authentication failed, invalid user ID or password",
			"user name not found", "no password given for the user", "password is empty");

	private final String user;

	private final String keys;

	/**
	 * Create what explains refusals.
	 * @param user the user, or {@code null} if that is not known here
	 * @param settings what names begin with
	 */
	EtcdRefusals(@Nullable String user, EtcdLockSettings settings) {
		this.user = (user != null) ? "The user '" + user + "'" : "The user of the client";
		this.keys = settings.namespace().isEmpty() ? "all keys"
				: "all keys that begin with '" + settings.namespace() + "' (lock.etcd.namespace)";
	}

	/**
	 * Return a refusal as such, and any other fault as it is.
	 */
	Throwable classify(Throwable fault) {
		Throwable cause = CompletionCauses.unwrap(fault);
		return (cause instanceof LockRefusedException) ? cause
				: explanation(cause).<Throwable>map((text) -> new LockRefusedException(text, cause)).orElse(cause);
	}

	private Optional<String> explanation(Throwable fault) {
		if (EtcdFaults.statusOf(fault).getCode() == Status.Code.PERMISSION_DENIED
				|| EtcdFaults.contains(fault, PERMISSION)) {
			return Optional.of("Etcd refuses what locks need: " + PERMISSION + ". " + this.user
					+ " needs a role with the permission 'readwrite' on " + this.keys);
		}
		if (EtcdFaults.contains(fault, NO_USER)) {
			return Optional.of("Etcd asks who the client of the locks is, and it has no user; set 'lock.etcd.user'"
					+ " and 'lock.etcd.password'");
		}
		if (EtcdFaults.contains(fault, NO_AUTHENTICATION)) {
			return Optional.of(this.user + " can't log in, since " + NO_AUTHENTICATION
					+ " in etcd; enable it, or remove 'lock.etcd.user' and 'lock.etcd.password'");
		}
		return LOGIN.stream()
			.filter((words) -> EtcdFaults.contains(fault, words))
			.findFirst()
			.map((words) -> this.user + " can't log in to etcd: " + words);
	}

}
