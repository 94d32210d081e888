package io.distributedlock.backend.zookeeper;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.jspecify.annotations.Nullable;

import io.distributedlock.LockUnavailableException;

/**
 * What the codes of ZooKeeper mean for a request.
 */
final class Faults {

	private Faults() {
	}

	static Throwable cause(Throwable fault) {
		Throwable cause = fault.getCause();
		return (fault instanceof CompletionException && cause != null) ? cause : fault;
	}

	static @Nullable Code code(Throwable fault) {
		return (cause(fault) instanceof KeeperException keeper) ? keeper.code() : null;
	}

	/**
	 * Return whether the connection was lost, so that nobody knows whether the request
	 * was executed, and the session may live on.
	 */
	static boolean isConnectionLoss(Throwable fault) {
		Code code = code(fault);
		return code == Code.CONNECTIONLOSS || code == Code.OPERATIONTIMEOUT || code == Code.REQUESTTIMEOUT
				|| code == Code.SESSIONMOVED;
	}

	/**
	 * Return whether the session is over, and all of its nodes with it.
	 */
	static boolean isSessionEnd(Throwable fault) {
		return code(fault) == Code.SESSIONEXPIRED;
	}

	static boolean isNoNode(Throwable fault) {
		return code(fault) == Code.NONODE;
	}

	static boolean isNodeExists(Throwable fault) {
		return code(fault) == Code.NODEEXISTS;
	}

	/**
	 * Return the answer, or a value if the node that was asked for is missing.
	 */
	static <T> CompletableFuture<T> orElse(CompletableFuture<T> answer, T value) {
		return answer.exceptionallyCompose((fault) -> isNoNode(fault) ? CompletableFuture.completedFuture(value)
				: CompletableFuture.failedFuture(cause(fault)));
	}

	static KeeperException sessionEnd() {
		return KeeperException.create(Code.SESSIONEXPIRED);
	}

	/**
	 * Return whether the server refuses what this client asks for, and will do so again.
	 */
	static boolean isRefusal(Throwable fault) {
		Code code = code(fault);
		return code == Code.NOAUTH || code == Code.AUTHFAILED || code == Code.INVALIDACL || code == Code.UNIMPLEMENTED;
	}

	/**
	 * Say what is to be done about a fault, where that is known.
	 */
	static Throwable explain(Throwable fault) {
		Throwable cause = cause(fault);
		if (isRefusal(cause) && code(cause) != Code.UNIMPLEMENTED) {
			return new LockUnavailableException("ZooKeeper lets this client not use the nodes of the locks ("
					+ cause.getMessage() + "): see lock.zookeeper.auth and the ACL of lock.zookeeper.root", cause);
		}
		if (isRefusal(cause)) {
			return new LockUnavailableException(
					"This ZooKeeper has no container nodes; it must be 3.6 or later: " + cause.getMessage(), cause);
		}
		return cause;
	}

}
