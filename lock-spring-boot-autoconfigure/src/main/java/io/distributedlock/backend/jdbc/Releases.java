package io.distributedlock.backend.jdbc;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;

import io.distributedlock.backend.call.CallDeadline;
import io.distributedlock.backend.call.StoreCall;
import io.distributedlock.spi.BackendListener;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.Orphan;

/**
 * Releases leases, and gives back what attempts without a grant may have taken. What is
 * asked for while a statement is under way goes into the next one together, so that one
 * connection serves many threads.
 */
final class Releases {

	private static final int BATCH = 100;

	private final Database database;

	private final Lane lane;

	private final Lane orphanLane;

	private final BackendListener news;

	private final ConcurrentLinkedQueue<Asked> queue = new ConcurrentLinkedQueue<>();

	// True from before the lane is told to empty the queue until it begins to do so.
	private final AtomicBoolean announced = new AtomicBoolean();

	/**
	 * Create releases.
	 * @param database the database
	 * @param lane the lane of leases that their holders release
	 * @param orphanLane the lane of what attempts may have left, which is to keep no
	 * release waiting
	 * @param news is told of rows that have gone
	 */
	Releases(Database database, Lane lane, Lane orphanLane, BackendListener news) {
		this.database = database;
		this.lane = lane;
		this.orphanLane = orphanLane;
		this.news = news;
	}

	CompletionStage<Boolean> release(LeaseGrant grant, Duration cooldown) {
		Asked asked = new Asked(new Release(grant, cooldown), this.database.call());
		this.queue.add(asked);
		if (this.announced.compareAndSet(false, true) && !this.lane.execute(this::empty)) {
			this.announced.set(false);
			asked.call().fail(Lane.stopped());
		}
		return asked.call().result();
	}

	private void empty() {
		this.announced.set(false);
		for (List<Asked> batch = next(); !batch.isEmpty(); batch = next()) {
			send(batch);
		}
	}

	private List<Asked> next() {
		List<Asked> batch = new ArrayList<>();
		for (Asked asked = this.queue.poll(); asked != null; asked = this.queue.poll()) {
			batch.add(asked);
			if (batch.size() == BATCH) {
				break;
			}
		}
		return batch;
	}

	private void send(List<Asked> batch) {
		try {
			KeptConnection connection = this.lane.connection();
			boolean together = connection.open().table().leases().areTakenTogether();
			List<Asked> sent = batch.stream().filter((asked) -> asked.call().send()).sorted(Asked.BY_KEY).toList();
			if (together && sent.size() > 1) {
				releaseTogether(connection, sent);
			}
			else {
				sent.forEach((asked) -> releaseAlone(connection, asked));
			}
		}
		catch (SQLException | RuntimeException ex) {
			Throwable fault = this.lane.explain(ex);
			batch.forEach((asked) -> asked.call().fail(fault));
		}
	}

	private void releaseTogether(KeptConnection connection, List<Asked> batch) throws SQLException {
		List<Release> releases = batch.stream().map(Asked::release).toList();
		try {
			// Half of the time is left to the single ones.
			Duration timeout = this.lane.callTimeout().dividedBy(2);
			List<Standing> stood = connection.run(timeout, (each) -> each.table().leases().release(each, releases));
			for (int i = 0; i < batch.size(); i++) {
				complete(batch.get(i), stood.get(i));
			}
		}
		catch (SQLException | RuntimeException ex) {
			if (!SqlFaults.isRefused(ex)) {
				// A second release could not tell the first one's success from a loss.
				throw ex;
			}
			batch.forEach((asked) -> releaseAlone(connection, asked));
		}
	}

	private void releaseAlone(KeptConnection connection, Asked asked) {
		try {
			complete(asked, connection.run(this.lane.callTimeout(),
					(each) -> each.table().leases().release(each, asked.release())));
		}
		catch (SQLException | RuntimeException ex) {
			asked.call().fail(this.lane.explain(ex));
		}
	}

	private void complete(Asked asked, Standing stood) {
		stood.tell(asked.release().grant(), this.news);
		asked.call().complete(stood.stands());
	}

	CompletionStage<Void> abandon(List<Orphan> orphans) {
		CompletionStage<Integer> asked = this.orphanLane.submit((connection) -> {
			CallDeadline deadline = this.database.deadline();
			Exception fault = null;
			for (Orphan orphan : orphans) {
				try {
					connection.run(deadline.left(), (each) -> each.table().leases().abandon(each, orphan));
				}
				catch (SQLException | RuntimeException ex) {
					// It does not keep the others from being tried.
					fault = (fault != null) ? fault : ex;
				}
			}
			if (fault instanceof SQLException ex) {
				throw ex;
			}
			if (fault instanceof RuntimeException ex) {
				throw ex;
			}
			return orphans.size();
		});
		return asked.thenAccept((number) -> {
		});
	}

	private record Asked(Release release, StoreCall<Boolean> call) {

		private static final Comparator<Asked> BY_KEY = Comparator
			.comparing((asked) -> asked.release().grant().target().key());

	}

}
