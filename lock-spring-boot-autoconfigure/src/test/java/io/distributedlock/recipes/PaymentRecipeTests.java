package io.distributedlock.recipes;

import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.DataClassRowMapper;
import org.springframework.jdbc.core.JdbcTemplate;

import io.distributedlock.DistributedLock;
import io.distributedlock.LockBusyException;
import io.distributedlock.Locks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * The recipe for a payment that is charged once.
 */
class PaymentRecipeTests {

	private final UUID id = UUID.randomUUID();

	private final PaymentProvider provider = new PaymentProvider();

	private final RecipeInstances instances = new RecipeInstances(this.provider);

	private final ConfigurableApplicationContext first = this.instances.start(Application.class);

	private final ConfigurableApplicationContext other = this.instances.start(Application.class);

	@AfterEach
	void close() {
		this.instances.close();
	}

	@Test
	void customerWhoClicksManyTimesAsksTheProviderOnce() throws Exception {
		assertThat(SimultaneousCalls.of(8,
				(number) -> checkout((number % 2 == 0) ? this.first : this.other).pay(this.id, 4_200)))
			.hasSize(8)
			.containsOnly(new Receipt("receipt 1", 4_200));

		assertThat(this.provider.requests).hasValue(1);
	}

	@Test
	void providerIsNotAskedAgainWhileItWorks() {
		ConfigurableApplicationContext impatient = this.instances.start(Application.class, "lock.wait-time=0s");
		this.provider.afterwards = () -> assertThatExceptionOfType(LockBusyException.class)
			.isThrownBy(() -> checkout(impatient).pay(this.id, 4_200));

		Receipt receipt = checkout(this.first).pay(this.id, 4_200);

		assertThat(checkout(impatient).pay(this.id, 4_200)).isEqualTo(receipt);
		assertThat(this.provider.requests).hasValue(1);
	}

	@Test
	void paymentThatIsRepeatedAfterACrashIsChargedOnce() {
		this.provider.afterwards = () -> {
			throw new IllegalStateException("crash");
		};
		assertThatIllegalStateException().isThrownBy(() -> checkout(this.first).pay(this.id, 4_200));
		this.provider.afterwards = () -> {
		};

		Receipt receipt = checkout(this.other).pay(this.id, 4_200);

		assertThat(receipt).isEqualTo(new Receipt("receipt 1", 4_200));
		assertThat(this.provider.requests).hasValue(2);
		assertThat(this.provider.charges).hasSize(1);
	}

	@Test
	void paymentThatOverlapsAnotherAfterALossIsChargedOnce() {
		this.provider.afterwards = () -> {
			this.provider.afterwards = () -> {
			};
			this.first.getBean(Locks.class).forceRelease("payment:" + this.id);
			CompletableFuture.supplyAsync(() -> checkout(this.other).pay(this.id, 4_200)).join();
		};

		assertThat(catchThrowable(() -> checkout(this.first).pay(this.id, 4_200))).isNotNull();

		assertThat(this.provider.requests).hasValue(2);
		assertThat(this.provider.charges).hasSize(1);
		assertThat(checkout(this.first).pay(this.id, 4_200)).isEqualTo(new Receipt("receipt 1", 4_200));
	}

	private static Checkout checkout(ConfigurableApplicationContext instance) {
		return instance.getBean(Checkout.class);
	}

	@Configuration(proxyBeanMethods = false)
	@Import({ Checkout.class, Payments.class })
	static class Application {

	}

	public static class Checkout {

		private final Payments payments;

		private final PaymentProvider provider;

		Checkout(Payments payments, PaymentProvider provider) {
			this.payments = payments;
			this.provider = provider;
		}

		// tag::payment[]
		@DistributedLock(name = "payment", key = "#id")
		public Receipt pay(UUID id, long cents) {
			return this.payments.find(id).orElseGet(() -> {
				Receipt receipt = this.provider.charge(id, cents);
				this.payments.insert(id, receipt);
				return receipt;
			});
		}
		// end::payment[]

	}

	record Receipt(String number, long cents) {

	}

	/**
	 * A table with one row per payment at most.
	 */
	static class Payments {

		private final JdbcTemplate jdbc;

		Payments(JdbcTemplate jdbc) {
			this.jdbc = jdbc;
			jdbc.execute("create table if not exists payment"
					+ " (id uuid primary key, number varchar(100) not null, cents bigint not null)");
		}

		Optional<Receipt> find(UUID id) {
			return this.jdbc
				.query("select number, cents from payment where id = ?", DataClassRowMapper.newInstance(Receipt.class),
						id)
				.stream()
				.findFirst();
		}

		void insert(UUID id, Receipt receipt) {
			this.jdbc.update("insert into payment (id, number, cents) values (?, ?, ?)", id, receipt.number(),
					receipt.cents());
		}

	}

	/**
	 * A payment provider that charges once for each idempotency key.
	 */
	static class PaymentProvider {

		private final AtomicInteger requests = new AtomicInteger();

		private final Map<UUID, Receipt> charges = new ConcurrentHashMap<>();

		private volatile Runnable afterwards = () -> {
		};

		Receipt charge(UUID idempotencyKey, long cents) {
			this.requests.incrementAndGet();
			Receipt receipt = this.charges.computeIfAbsent(idempotencyKey,
					(key) -> new Receipt("receipt " + (this.charges.size() + 1), cents));
			this.afterwards.run();
			return receipt;
		}

	}

}
