package io.distributedlock.sample;

import java.io.UnsupportedEncodingException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MvcTestResult;
import org.springframework.web.context.WebApplicationContext;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.StaleTokenException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The sample over HTTP, on a database in memory.
 */
@SpringBootTest(properties = { "spring.datasource.url=jdbc:h2:mem:sample;DB_CLOSE_DELAY=-1", "lock.wait-time=0s",
		"sample.stall.ttl=30s", "sample.pack.ttl=600ms", "sample.count.cron=-", "sample.count.time=0ms",
		"sample.count.min-hold=0ms" })
class SampleApplicationTests {

	private static final long ORDER = 42;

	private final MockMvcTester mvc;

	private final LockTemplate locks;

	private final OrderRepository orders;

	private final StockCount count;

	SampleApplicationTests(@Autowired WebApplicationContext context, @Autowired LockTemplate locks,
			@Autowired OrderRepository orders, @Autowired StockCount count) {
		this.mvc = MockMvcTester.from(context);
		this.locks = locks;
		this.orders = orders;
		this.count = count;
	}

	@BeforeEach
	void fillUp() {
		setStock(10);
	}

	@Test
	void firstStartMakesOrders() {
		assertThat(this.mvc.get().uri("/orders/1")).hasStatusOk().bodyJson().extractingPath("$.stock").isEqualTo(100);
	}

	@Test
	void settingTheStockTwiceIsTheSameAsOnce() {
		setStock(7);
		MvcTestResult second = setStock(7);

		assertThat(second).hasStatusOk().bodyJson().extractingPath("$.stock").isEqualTo(7);
		assertThat(this.orders.get(ORDER).stock()).isEqualTo(7);
	}

	@Test
	void negativeStockIsRefused() {
		assertThat(setStock(-1)).hasStatus(HttpStatus.BAD_REQUEST);
	}

	@Test
	void reservationTakesOneAndTellsTheTokenAsText() {
		MvcTestResult result = post("/reserve");

		assertThat(result).hasStatusOk().bodyJson().extractingPath("$.stock").isEqualTo(9);
		assertThat(result).bodyJson().extractingPath("$.lastToken").asString().containsOnlyDigits();
	}

	@Test
	void reservationOfWhatIsOutOfStockIsAConflict() {
		setStock(0);

		assertThat(post("/reserve")).hasStatus(HttpStatus.CONFLICT)
			.hasContentTypeCompatibleWith(MediaType.APPLICATION_PROBLEM_JSON)
			.bodyJson()
			.extractingPath("$.type")
			.isEqualTo("urn:problem:out-of-stock");
	}

	@Test
	void unknownOrderIsNotFound() {
		assertThat(this.mvc.post().uri("/orders/4711/reserve")).hasStatus(HttpStatus.NOT_FOUND)
			.bodyJson()
			.extractingPath("$.detail")
			.asString()
			.contains("PUT /orders/4711?stock=100");
	}

	@Test
	void reservationOfABusyOrderSaysWhenToTryAgain() {
		try (Lease lease = this.locks.acquire(LockRequest.of("order:" + ORDER).ttl(Duration.ofSeconds(30)))) {
			MvcTestResult result = post("/reserve");

			assertThat(lease.isHeld()).isTrue();
			assertThat(result).hasStatus(HttpStatus.LOCKED);
			assertThat(Integer.parseInt(result.getResponse().getHeader(HttpHeaders.RETRY_AFTER))).isBetween(1, 30);
		}
	}

	@Test
	void stallWithinTheTtlWrites() {
		assertThat(post("/stall?ms=0")).hasStatusOk().bodyJson().extractingPath("$.stock").isEqualTo(9);
	}

	@Test
	void writeWithATokenThatWasOvertakenIsRefused() {
		Lease earlier = this.locks.acquire("order:" + ORDER);
		earlier.release();
		post("/reserve");

		assertThatExceptionOfType(StaleTokenException.class)
			.isThrownBy(() -> this.orders.write(ORDER, 9, earlier.fencingToken()));
		assertThat(this.orders.get(ORDER).stock()).isEqualTo(9);
	}

	@Test
	void countIsRecordedWithItsInstance() {
		this.count.run();

		assertThat(this.mvc.get().uri("/runs?limit=1")).hasStatusOk()
			.bodyJson()
			.extractingPath("$[0].instance")
			.isEqualTo("orders:8080");
	}

	@Test
	void holderThatLosesItsLeaseIsInterrupted() {
		// An order of its own: a lock that was released by force stays busy for a moment.
		CompletableFuture<MvcTestResult> packing = CompletableFuture
			.supplyAsync(() -> this.mvc.post().uri("/orders/1/pack?ms=60000").exchange());
		Awaitility.await().until(() -> json(release("order:1")).contains("true"));

		assertThat(packing.join()).hasStatus(HttpStatus.CONFLICT)
			.bodyJson()
			.extractingPath("$.type")
			.isEqualTo("urn:problem:lease-lost");
	}

	@Test
	void releaseOfAFreeLockReportsThatThereWasNoHolder() {
		assertThat(release("order:" + ORDER)).hasStatusOk().bodyJson().extractingPath("$.held").isEqualTo(false);
	}

	@Test
	void storeThatIsAwayIsUnavailableAndNotBusy() {
		assertThat(this.mvc.post().uri("/store/away")).hasStatus(HttpStatus.NO_CONTENT);
		try {
			assertThat(post("/reserve")).hasStatus(HttpStatus.SERVICE_UNAVAILABLE);
		}
		finally {
			assertThat(this.mvc.post().uri("/store/back")).hasStatus(HttpStatus.NO_CONTENT);
		}

		assertThat(post("/reserve")).hasStatusOk();
	}

	@Test
	void pageIsAtTheRoot() {
		assertThat(this.mvc.get().uri("/")).hasStatusOk().hasForwardedUrl("index.html");
	}

	@Test
	void streamBeginsWithTheState() throws UnsupportedEncodingException {
		post("/reserve");

		MvcTestResult stream = this.mvc.get().uri("/live").asyncExchange();

		assertThat(stream.getResponse().getContentAsString()).startsWith("event:state\ndata:{")
			.contains("\"instance\":\"orders:8080\"", "\"away\":false", "\"holders\":[", "\"waiters\":[]",
					"\"key\":\"order:42\",\"kind\":\"ACQUIRED\"", "\"orders\":[{\"id\":1,", "\"runs\":[");
	}

	private MvcTestResult release(String key) {
		return this.mvc.post().uri("/locks/release?key={key}", key).exchange();
	}

	private static String json(MvcTestResult result) throws UnsupportedEncodingException {
		return result.getResponse().getContentAsString();
	}

	private MvcTestResult setStock(int stock) {
		return this.mvc.put().uri("/orders/{id}?stock={stock}", ORDER, stock).exchange();
	}

	private MvcTestResult post(String what) {
		return this.mvc.post().uri("/orders/" + ORDER + what).exchange();
	}

}
