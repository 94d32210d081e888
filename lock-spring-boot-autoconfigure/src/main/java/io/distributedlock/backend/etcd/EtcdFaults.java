package io.distributedlock.backend.etcd;

import java.nio.charset.StandardCharsets;
import java.util.stream.Collectors;

import io.etcd.jetcd.KeyValue;
import io.grpc.Status;
import org.jspecify.annotations.Nullable;

import io.distributedlock.LockException;
import io.distributedlock.LockRefusedException;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.backend.call.FaultCauses;
import io.distributedlock.spi.CompletionCauses;
import io.distributedlock.spi.LockTarget;

/**
 * Interprets the faults of etcd and of its driver.
 */
final class EtcdFaults {

	private static final int LONGEST_VALUE = 80;

	private EtcdFaults() {
	}

	/**
	 * Return whether a lease that the request names has ended. The request was then not
	 * executed.
	 */
	static boolean isLeaseGone(Throwable fault) {
		return Status.fromThrowable(fault).getCode() == Status.Code.NOT_FOUND && contains(fault, "lease not found");
	}

	/**
	 * Return whether etcd refuses the request until an administrator changes its users or
	 * their permissions.
	 */
	static boolean isRefused(Throwable fault) {
		return fault instanceof LockRefusedException;
	}

	/**
	 * Return whether the revision that the request looks back to is no longer known.
	 */
	static boolean isCompacted(Throwable fault) {
		return contains(fault, "has been compacted");
	}

	/**
	 * Return whether a member no longer knows the token that stands for the password, for
	 * example after its restart. The driver then requests another one.
	 */
	private static boolean isTokenGone(Throwable fault) {
		return contains(fault, "invalid auth token") || contains(fault, "revision of auth store is old");
	}

	/**
	 * Return whether a request has been answered, even if with a fault. Etcd does not
	 * execute it after that.
	 */
	static boolean isAnswer(@Nullable Throwable fault) {
		return fault == null || !isPassing(CompletionCauses.unwrap(fault));
	}

	/**
	 * Return whether a repeated request may succeed. It is unknown whether the first one
	 * was executed.
	 */
	static boolean isPassing(Throwable fault) {
		if (fault instanceof LockException) {
			return false;
		}
		if (isTokenGone(fault)) {
			return true;
		}
		return switch (statusOf(fault).getCode()) {
			case UNAVAILABLE, DEADLINE_EXCEEDED, ABORTED, INTERNAL, CANCELLED, RESOURCE_EXHAUSTED -> true;
			case UNKNOWN -> !contains(fault, "etcdserver: ") || contains(fault, "etcdserver: request timed out");
			default -> false;
		};
	}

	/**
	 * Return the status that etcd or the driver reports. If a request was not sent
	 * because logging in failed, this is the status of the login.
	 */
	static Status statusOf(Throwable fault) {
		Status status = Status.fromThrowable(fault);
		Throwable login = status.getCause();
		if (status.getCode() != Status.Code.UNAUTHENTICATED || login == null) {
			return status;
		}
		Status answer = Status.fromThrowable(login);
		return (answer.getCode() != Status.Code.UNKNOWN) ? answer : status;
	}

	/**
	 * Return an exception that explains a fault.
	 */
	static LockException explain(Throwable fault) {
		Throwable cause = CompletionCauses.unwrap(fault);
		if (cause instanceof LockException already) {
			return already;
		}
		return new LockUnavailableException("The etcd of the locks could not be asked: " + reason(cause), cause);
	}

	/**
	 * Return an exception for a key that is taken by an entry that this version does not
	 * understand.
	 */
	static LockUnavailableException notUnderstood(String key, KeyValue found) {
		String value = found.getValue().toString(StandardCharsets.UTF_8);
		String shown = value.substring(0, Math.min(value.length(), LONGEST_VALUE));
		return new LockUnavailableException("The lock on '" + printable(key) + "' is taken by '"
				+ printable(found.getKey().toString(StandardCharsets.UTF_8))
				+ (shown.isEmpty() ? "'" : "' with the value '" + printable(shown) + "'")
				+ " in etcd, which this version does not understand; a later version may have written it");
	}

	/**
	 * Return the fault of a request for more keys than one transaction has room for.
	 */
	static LockUnavailableException tooManyKeys(LockTarget target) {
		return new LockUnavailableException("The locks on '" + printable(target.key()) + "' and "
				+ (target.keys().size() - 1) + " more keys can't be requested together: etcd takes at most "
				+ EtcdTxn.BATCH + " keys in one request. Take a coarser lock, and leave lock.limits.max-keys at "
				+ EtcdTxn.BATCH + " or less");
	}

	private static String printable(String text) {
		return text.replaceAll("[\\p{Cntrl}\\p{Cs}]", "?");
	}

	private static String reason(Throwable fault) {
		String messages = FaultCauses.messages(fault).collect(Collectors.joining(": "));
		return messages.isEmpty() ? fault.getClass().getSimpleName() : messages;
	}

	static boolean contains(Throwable fault, String words) {
		return FaultCauses.messages(fault).anyMatch((message) -> message.contains(words));
	}

}
