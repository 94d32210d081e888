package io.distributedlock.backend.redlock;

import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletionStage;

import io.distributedlock.spi.BackendListener;
import io.distributedlock.spi.Renewal;
import io.distributedlock.spi.RenewalOutcome;

/**
 * Renews batches of leases, members of groups apart from exclusive ones.
 *
 * @param nodes the nodes
 * @param outstanding the attempts and leases of this client
 * @param listener is notified of waiters that keep new members out of a group
 */
record RedlockRenewals(NodeGroup nodes, OutstandingAttempts outstanding, BackendListener listener) {

	CompletionStage<List<RenewalOutcome>> renew(List<Renewal> all) {
		int number = members(all);
		if (number == 0 || number == all.size()) {
			return renew(all, number > 0);
		}
		List<Renewal> members = all.stream().filter(RedlockRenewals::isOfMember).toList();
		List<Renewal> others = all.stream().filter((renewal) -> !isOfMember(renewal)).toList();
		return renew(members, true).thenCombine(renew(others, false), (ofMembers, ofOthers) -> {
			Iterator<RenewalOutcome> nextOfMembers = ofMembers.iterator();
			Iterator<RenewalOutcome> nextOfOthers = ofOthers.iterator();
			return all.stream().map((renewal) -> (isOfMember(renewal) ? nextOfMembers : nextOfOthers).next()).toList();
		});
	}

	private CompletionStage<List<RenewalOutcome>> renew(List<Renewal> renewals, boolean members) {
		return new RenewalRound(this.nodes, this.outstanding, this.listener, members, renewals).start();
	}

	private static int members(List<Renewal> all) {
		int number = 0;
		for (Renewal renewal : all) {
			if (isOfMember(renewal)) {
				number++;
			}
		}
		return number;
	}

	private static boolean isOfMember(Renewal renewal) {
		return renewal.grant().target().isGroup();
	}

}
