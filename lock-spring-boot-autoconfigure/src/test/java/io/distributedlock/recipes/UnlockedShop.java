package io.distributedlock.recipes;

import java.util.UUID;

import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.DataClassRowMapper;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.RowMapper;
import org.springframework.transaction.annotation.Transactional;

/**
 * Changes of data that many callers share, without a lock.
 */
public class UnlockedShop {

	private static final RowMapper<Price> PRICE = DataClassRowMapper.newInstance(Price.class);

	private final JdbcTemplate jdbc;

	UnlockedShop(JdbcTemplate jdbc) {
		this.jdbc = jdbc;
	}

	// tag::atomic-update[]
	public boolean take(long article) {
		return this.jdbc.update("update stock set pieces = pieces - 1 where article = ? and pieces > 0", article) == 1;
	}
	// end::atomic-update[]

	// tag::unique-index[]
	public boolean register(String name) {
		try {
			this.jdbc.update("insert into customer (name) values (?)", name);
			return true;
		}
		catch (DuplicateKeyException ex) {
			return false;
		}
	}
	// end::unique-index[]

	// tag::idempotency-key[]
	@Transactional
	public void deposit(UUID request, long account, long amount) {
		int first = this.jdbc.update("insert into request (id) values (?) on conflict do nothing", request);
		if (first == 1) {
			this.jdbc.update("update account set balance = balance + ? where id = ?", amount, account);
		}
	}
	// end::idempotency-key[]

	// tag::optimistic-version[]
	public void discount(long article, int percent) {
		boolean written = false;
		while (!written) {
			Price seen = this.jdbc.queryForObject("select cents, version from price where article = ?", PRICE, article);
			long cents = seen.cents() * (100 - percent) / 100;
			written = this.jdbc.update("update price set cents = ?, version = ? where article = ? and version = ?",
					cents, seen.version() + 1, article, seen.version()) == 1;
		}
	}
	// end::optimistic-version[]

	// tag::for-update[]
	@Transactional
	public boolean book(long flight, String passenger) {
		int seats = this.jdbc.queryForObject("select seats from flight where id = ? for update", Integer.class, flight);
		int taken = this.jdbc.queryForObject("select count(*) from booking where flight = ?", Integer.class, flight);
		if (taken < seats) {
			this.jdbc.update("insert into booking (flight, passenger) values (?, ?)", flight, passenger);
		}
		return taken < seats;
	}
	// end::for-update[]

	record Price(long cents, long version) {

	}

}
