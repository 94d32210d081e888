package io.distributedlock.backend.redlock.lettuce;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.UnaryOperator;

import io.distributedlock.backend.redis.script.LuaScript;
import io.distributedlock.backend.redis.script.RedisKeys;
import io.distributedlock.backend.redis.script.ScriptCall;
import io.distributedlock.backend.redlock.LeaseStanding;
import io.distributedlock.backend.redlock.NodeAnswer;
import io.distributedlock.backend.redlock.NodeHolder;
import io.distributedlock.backend.redlock.NodeMembers;
import io.distributedlock.backend.redlock.NodeSession.ReleaseRequest;
import io.distributedlock.backend.redlock.NodeSession.VoteRequest;
import io.distributedlock.backend.redlock.NodeVote;

/**
 * Runs the scripts for members of groups, each call as an EVALSHA of its own.
 *
 * @param connection the connection
 * @param keys the names of stored values
 * @param state the name of the node's state
 * @param marks the name of its high-water marks
 * @param checked reports it if an answer says that waiters can't be notified
 */
record LettuceMembers(NodeConnection connection, RedisKeys keys, byte[] state, byte[] marks,
		UnaryOperator<List<?>> checked) implements NodeMembers {

	private static final String NO_CHANNEL = "";

	@Override
	public CompletionStage<NodeAnswer<NodeVote>> enter(EntryRequest request) {
		VoteRequest vote = request.vote();
		List<byte[]> all = new ArrayList<>(6 * vote.keys().size() + 2);
		all.add(this.state);
		all.add(this.marks);
		for (String key : vote.keys()) {
			all.addAll(this.keys.allOfGroup(key));
		}
		return ask(NodeReplies::vote, NodeScripts.ENTER, all, vote.state(), vote.floor(), vote.tickFloor(),
				vote.retentionMillis(), vote.value(), vote.ttlMillis(), vote.first(), vote.span(),
				NodeHolder.kind(request.mode()), request.permits(), vote.markMillis());
	}

	@Override
	public CompletionStage<NodeAnswer<Optional<List<LeaseStanding>>>> renewMembers(String expected,
			List<HeldMember> members) {
		List<byte[]> all = new ArrayList<>(4 * members.size() + 1);
		List<Object> arguments = new ArrayList<>(3 * members.size() + 1);
		arguments.add(expected);
		for (HeldMember member : members) {
			GroupNames names = names(member.lock().key());
			all.addAll(List.of(names.lock(), names.members(), names.tokens(), names.door()));
			arguments.addAll(List.of(NodeHolder.kind(member.mode()), member.lock().value(), member.lock().ttlMillis()));
		}
		all.add(this.state);
		return ask(NodeReplies::standings, NodeScripts.RENEW_MEMBERS, all, arguments.toArray());
	}

	@Override
	public CompletionStage<NodeAnswer<Boolean>> reinstallMember(String expected, HeldMember member,
			long attemptMillis) {
		GroupNames names = names(member.lock().key());
		return ask(NodeReplies::isOne, NodeScripts.REINSTALL_MEMBER,
				List.of(names.lock(), names.counter(), names.members(), names.tokens(), this.state), expected,
				NodeHolder.kind(member.mode()), member.lock().value(), member.lock().ttlMillis(), member.lock().last(),
				member.count(), attemptMillis);
	}

	@Override
	public CompletionStage<NodeAnswer<LeaseStanding>> leave(ReleaseRequest release) {
		List<byte[]> all = new ArrayList<>(5 * release.keys().size());
		for (String key : release.keys()) {
			GroupNames names = names(key);
			all.addAll(List.of(names.lock(), names.members(), names.tokens(), names.mark(), names.door()));
		}
		return ask((answer) -> NodeReplies.standing(this.checked.apply(answer).get(0)), NodeScripts.LEAVE, all,
				release.value(), release.cooldownMillis(), channel(release.notifiesWaiters()));
	}

	@Override
	public CompletionStage<NodeAnswer<Boolean>> closeDoor(String key, String waiter, long millis) {
		return door(key, waiter, millis, NO_CHANNEL);
	}

	@Override
	public CompletionStage<NodeAnswer<Boolean>> openDoor(String key, String waiter, boolean notifiesWaiters) {
		return door(key, waiter, 0, channel(notifiesWaiters));
	}

	private CompletionStage<NodeAnswer<Boolean>> door(String key, String waiter, long millis, Object channel) {
		GroupNames names = names(key);
		return ask((answer) -> NodeReplies.isOne(this.checked.apply(answer)), NodeScripts.DOOR,
				List.of(names.lock(), names.mark(), names.door()), waiter, millis, channel);
	}

	/**
	 * Read the holders of a lock, exclusive or of a group.
	 */
	CompletionStage<NodeAnswer<List<NodeHolder>>> find(String key) {
		GroupNames names = names(key);
		return ask(NodeReplies::holders, NodeScripts.FIND,
				List.of(names.lock(), names.counter(), names.members(), names.tokens()));
	}

	/**
	 * Take a lock away from its holder or its group.
	 */
	CompletionStage<NodeAnswer<Boolean>> forceRelease(String key, long cooldownMillis) {
		GroupNames names = names(key);
		return ask((answer) -> NodeReplies.isOne(this.checked.apply(answer)), NodeScripts.FORCE_RELEASE,
				List.of(names.lock(), names.mark(), names.members(), names.tokens(), names.door()), cooldownMillis,
				this.keys.channel(), names.lock());
	}

	private GroupNames names(String key) {
		return GroupNames.of(this.keys, key);
	}

	private Object channel(boolean notifiesWaiters) {
		return notifiesWaiters ? this.keys.channel() : NO_CHANNEL;
	}

	private <T> CompletionStage<NodeAnswer<T>> ask(Function<List<?>, T> reader, LuaScript script, List<byte[]> names,
			Object... arguments) {
		return this.connection.run(ScriptCall.of(script, names, arguments))
			.thenApply((reply) -> NodeReplies.timed(reply, reader));
	}

}
