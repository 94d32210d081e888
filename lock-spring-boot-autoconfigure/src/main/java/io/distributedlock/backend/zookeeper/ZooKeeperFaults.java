package io.distributedlock.backend.zookeeper;

import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.jspecify.annotations.Nullable;

import io.distributedlock.LockRefusedException;
import io.distributedlock.backend.zookeeper.ZooKeeperRequests.Permission;
import io.distributedlock.spi.CompletionCauses;

/**
 * Interprets the error codes of ZooKeeper.
 */
final class ZooKeeperFaults {

	private ZooKeeperFaults() {
	}

	static @Nullable Code code(Throwable fault) {
		Throwable cause = CompletionCauses.unwrap(fault);
		Throwable raw = (cause instanceof LockRefusedException) ? cause.getCause() : cause;
		return (raw instanceof KeeperException keeper) ? keeper.code() : null;
	}

	/**
	 * Return whether the connection was lost. It is then unknown whether the request was
	 * executed, and the session may live on.
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
		return orElseAsk(answer, () -> CompletableFuture.completedFuture(value));
	}

	/**
	 * Return the answer, or that to another request if the node that was asked for is
	 * missing.
	 */
	static <T> CompletableFuture<T> orElseAsk(CompletableFuture<T> answer, Supplier<CompletableFuture<T>> other) {
		return answer.exceptionallyCompose((fault) -> isNoNode(fault) ? other.get()
				: CompletableFuture.failedFuture(CompletionCauses.unwrap(fault)));
	}

	static KeeperException sessionEnd() {
		return KeeperException.create(Code.SESSIONEXPIRED);
	}

	/**
	 * Return whether the server refuses the request of this client, and will do so again.
	 */
	static boolean isRefusal(Throwable fault) {
		return CompletionCauses.unwrap(fault) instanceof LockRefusedException;
	}

	/**
	 * Create the fault of a code.
	 * @param needed the permission that the request needs
	 * @param path the node that it asked for
	 * @param user the user of the request, or {@code null} if it is not known
	 */
	static Exception of(Code code, Permission needed, String path, @Nullable String user) {
		KeeperException cause = KeeperException.create(code, path);
		String who = (user != null) ? "the user '" + user + "' of the locks" : "the locks";
		String refusal = switch (code) {
			case NOAUTH -> "ZooKeeper refuses " + who + " the permission " + needed + " on " + needed.node(path)
					+ " (NoAuth for " + path
					+ "): see the ACL of that node, and lock.zookeeper.auth or the authorization of the CuratorFramework";
			case AUTHFAILED -> "ZooKeeper does not accept the authentication of this client (AuthFailed for " + path
					+ "): see lock.zookeeper.auth or the authorization of the CuratorFramework";
			case INVALIDACL -> "ZooKeeper does not accept the ACL of " + path
					+ " (InvalidACL): with lock.zookeeper.auth the CuratorFramework has to be authenticated as that user";
			case UNIMPLEMENTED ->
				"This ZooKeeper does not know a request that the locks need, such as that for container nodes ("
						+ cause.getMessage() + "): it must be 3.6 or later";
			default -> null;
		};
		return (refusal != null) ? new LockRefusedException(refusal, cause) : cause;
	}

	static LockRefusedException noChroot(String connectString) {
		int slash = connectString.indexOf('/');
		String chroot = (slash >= 0) ? "The chroot '" + connectString.substring(slash) + "'" : "The chroot";
		return new LockRefusedException(chroot
				+ " of the connect string of ZooKeeper does not exist. Create that node, or" + " name another one",
				null);
	}

}
