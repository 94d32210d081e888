package io.distributedlock.backend.redlock;

import io.distributedlock.backend.redlock.HistoryPlan.Sabotage;
import io.distributedlock.backend.redlock.HistoryPlan.Trouble;

class Probe {
	public static void main(String[] a) {
		int n = Integer.parseInt(a[0]);
		for (Trouble t : Trouble.values()) for (int nodes : new int[] {3,5,7}) {
			long start = System.nanoTime(); int bad=0; long events=0; SimulatedClient.Tallies s=new SimulatedClient.Tallies();
			int rec=0,late=0,twice=0,acks=0,lows=0,re=0,jumps=0,runs=0; String first="";
			for (long seed=0;seed<n;seed++) {
				History.Result r = History.run(seed, new HistoryPlan(nodes, t, Sabotage.none()));
				events+=r.events(); s.add(r.tallies()); rec+=r.recoveries(); late+=r.late(); twice+=r.twice(); acks+=r.acks(); lows+=r.lows(); re+=r.reinstalls(); jumps+=r.jumps(); runs+=r.runs();
				if (!r.violations().isEmpty()) { bad++; if (first.isEmpty()) first="seed "+seed+" "+r.violations(); }
			}
			System.out.printf("%s %d: bad %d, %d ms, ev/h %d, att %d grants %d busy %d done %d unav %d ren %d ho %d rec %d late %d twice %d acks %d lows %d reinst %d jumps %d runs %d %s%n", t, nodes, bad, (System.nanoTime()-start)/1000000, events/n, s.attempts,s.grants,s.busy,s.done,s.unavailable,s.renewals,s.handOvers,rec,late,twice,acks,lows,re,jumps,runs,first);
		}
	}
}
