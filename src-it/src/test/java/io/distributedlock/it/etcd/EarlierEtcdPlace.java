package io.distributedlock.it.etcd;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.kv.GetResponse;
import io.etcd.jetcd.kv.TxnResponse;
import io.etcd.jetcd.op.Cmp;
import io.etcd.jetcd.op.CmpTarget;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.GetOption;
import io.etcd.jetcd.options.GetOption.SortOrder;
import io.etcd.jetcd.options.GetOption.SortTarget;
import io.etcd.jetcd.options.PutOption;

import io.distributedlock.spi.OwnerId;

/**
 * A place in a queue as the version before groups takes it and looks at it: its names,
 * its value, its transactions and its rules. That version has exclusive leases only.
 */
final class EarlierEtcdPlace {

	private static final Pattern WAITED_FOR = Pattern.compile("/w/[rs]?[0-9a-fA-F]{32}");

	private static final Pattern VALUE = Pattern.compile("(\\d+)\\|(\\d+)\\|(\\d+)\\|.*");

	private static final int SHOWN = 8;

	private final Client client;

	private final String root;

	private final ByteSequence name;

	private final long revision;

	private State state;

	/**
	 * Take a place in a session of its own.
	 */
	EarlierEtcdPlace(Client client, String key) {
		this.client = client;
		this.root = EtcdTestClient.NAMESPACE + EtcdTestClient.PREFIX + key;
		this.name = bytes("/w/" + OwnerId.random().value());
		long lease = EtcdTestClient.await(client.getLeaseClient().grant(60)).getID();
		Op look = Op.get(bytes("/"), GetOption.builder().withRange(bytes("/~")).withLimit(SHOWN).build());
		PutOption attached = PutOption.builder().withLeaseId(lease).build();
		EtcdTestClient.await(client.getKVClient()
			.put(text(EtcdTestClient.NAMESPACE + "/s/" + Long.toHexString(lease)), text("1|60|1|earlier@host:1"),
					attached));
		Op put = Op.put(this.name, text("1024|60|1700000000000|earlier@host:1"), attached);
		TxnResponse answer = EtcdTestClient.await(client.getKVClient()
			.txn()
			.If(new Cmp(this.name, Cmp.Op.EQUAL, CmpTarget.createRevision(0)))
			.Then(look, put)
			.commit());
		this.revision = answer.getHeader().getRevision();
		GetResponse shown = answer.getGetResponses().get(0);
		this.state = shown.isMore() ? look() : state(shown.getKvs());
	}

	private State state(List<KeyValue> found) {
		KeyValue before = null;
		boolean cooldown = false;
		for (KeyValue entry : found) {
			if (entry.getKey().startsWith(bytes("/w/"))) {
				before = (before == null || entry.getCreateRevision() > before.getCreateRevision()) ? entry : before;
			}
			else if (entry.getKey().equals(bytes("/c"))) {
				cooldown = true;
			}
			else if (!entry.getKey().equals(bytes("/t"))) {
				return State.NOT_UNDERSTOOD;
			}
		}
		return state(before, cooldown);
	}

	private State state(KeyValue before, boolean cooldown) {
		if (before != null) {
			return isWaitedFor(before) ? State.WAITS : State.NOT_UNDERSTOOD;
		}
		return cooldown ? State.WAITS : State.HOLDS;
	}

	private boolean isWaitedFor(KeyValue entry) {
		Matcher value = VALUE.matcher(entry.getValue().toString());
		return WAITED_FOR.matcher(entry.getKey().toString().substring(this.root.length())).matches() && value.matches()
				&& Integer.parseInt(value.group(1)) >= 1 && Integer.parseInt(value.group(1)) <= 1_024
				&& Long.parseLong(value.group(2)) >= 1 && Long.parseLong(value.group(2)) <= 86_400;
	}

	private State look() {
		List<Op> looks = new ArrayList<>();
		looks.add(Op.get(this.name, GetOption.builder().withKeysOnly(true).build()));
		looks.add(Op.get(bytes("/w/"),
				GetOption.builder()
					.isPrefix(true)
					.withSortField(SortTarget.CREATE)
					.withSortOrder(SortOrder.DESCEND)
					.withMaxCreateRevision(this.revision - 1)
					.withLimit(1)
					.build()));
		looks.add(Op.get(bytes("/c"), GetOption.DEFAULT));
		List<List<String>> unknown = List.of(List.of("/", "/c"), List.of("/c\0", "/t"), List.of("/t\0", "/w/"),
				List.of("/w0", "/~"));
		unknown.forEach((range) -> looks
			.add(Op.get(bytes(range.get(0)), GetOption.builder().withRange(bytes(range.get(1))).withLimit(1).build())));
		List<GetResponse> shown = EtcdTestClient
			.await(this.client.getKVClient().txn().Then(looks.toArray(Op[]::new)).commit())
			.getGetResponses();
		if (shown.get(0).getKvs().isEmpty()) {
			return State.GONE;
		}
		if (shown.stream().skip(3).anyMatch((found) -> !found.getKvs().isEmpty())) {
			return State.NOT_UNDERSTOOD;
		}
		KeyValue before = shown.get(1)
			.getKvs()
			.stream()
			.max(Comparator.comparing(KeyValue::getCreateRevision))
			.orElse(null);
		return state(before, !shown.get(2).getKvs().isEmpty());
	}

	State state() {
		return this.state;
	}

	State lookAgain() {
		this.state = look();
		return this.state;
	}

	void leave() {
		EtcdTestClient.await(this.client.getKVClient().delete(this.name));
	}

	private ByteSequence bytes(String tail) {
		return text(this.root + tail);
	}

	private static ByteSequence text(String text) {
		return ByteSequence.from(text, StandardCharsets.UTF_8);
	}

	/**
	 * What that version makes of its place.
	 */
	enum State {

		HOLDS, WAITS, NOT_UNDERSTOOD, GONE

	}

}
