package io.distributedlock.actuate;

import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import com.jayway.jsonpath.DocumentContext;
import com.jayway.jsonpath.JsonPath;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.actuate.audit.AuditEvent;

import io.distributedlock.Lease;
import io.distributedlock.LeaseLostEvent;
import io.distributedlock.LossReason;
import io.distributedlock.test.LocalLocks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

/**
 * Contract for web requests to the endpoint {@code locks}. It is the same on each stack.
 */
@TestInstance(Lifecycle.PER_CLASS)
abstract class LocksWebContract {

	private LocksWebApplication reader;

	private LocksWebApplication administrator;

	abstract WebApplicationType type();

	@BeforeAll
	void start() {
		this.reader = LocksWebApplication.start(type(), "management.endpoints.web.exposure.include=locks");
		this.administrator = LocksWebApplication.start(type(), "management.endpoints.web.exposure.include=*",
				"management.endpoint.locks.access=unrestricted");
	}

	@AfterAll
	void stop() {
		this.reader.close();
		this.administrator.close();
	}

	private static DocumentContext json(HttpResponse<String> answer) {
		assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
		return JsonPath.parse(answer.body());
	}

	@Test
	void instanceShowsItsLeasesAndWaiters() {
		Lease lease = this.reader.acquire("order:42");
		CompletableFuture<Void> waiting = CompletableFuture.runAsync(() -> this.reader.acquire("order:42").close());
		Awaitility.await()
			.untilAsserted(
					() -> assertThat(json(this.reader.get("/locks")).<Integer>read("$.stores.local.waitingCount"))
						.isOne());

		DocumentContext shown = json(this.reader.get("/locks"));

		assertThat(shown.<String>read("$.instance")).isEqualTo("shop@one");
		assertThat(shown.<String>read("$.stores.local.circuit")).isEqualTo("closed");
		assertThat(shown.<Integer>read("$.stores.local.heldCount")).isOne();
		assertThat(shown.<List<String>>read("$.stores.local.held[0].keys")).containsExactly("order:42");
		assertThat(shown.<List<String>>read("$.stores.local.waiting[0].keys")).containsExactly("order:42");
		// A number would lose its last digits in JavaScript.
		assertThat(shown.<Object>read("$.stores.local.held[0].fencingToken"))
			.isEqualTo(Long.toString(lease.fencingToken()));
		assertThat(shown.jsonString()).doesNotContain("owner");
		lease.close();
		waiting.join();
	}

	@Test
	void pagesFollowEachOther() {
		List<Lease> leases = List.of(this.reader.acquire("page/1"), this.reader.acquire("page/2"),
				this.reader.acquire("page/3"));
		List<String> keys = new ArrayList<>();
		String next = null;
		do {
			DocumentContext page = json(
					this.reader.get("/locks/local?limit=2" + ((next != null) ? "&next=" + next : "")));
			keys.addAll(page.<List<String>>read("$.locks[*].key"));
			assertThat(page.<List<Object>>read("$.locks[*].fencingToken")).hasOnlyElementsOfType(String.class);
			Map<String, Object> all = page.read("$");
			next = (String) all.get("next");
		}
		while (next != null);

		assertThat(keys).containsExactly("page/1", "page/2", "page/3");
		leases.forEach(Lease::close);
	}

	@ParameterizedTest
	@ValueSource(strings = { "/locks/local?limit=0", "/locks/local?limit=1001", "/locks/local?limit=many",
			"/locks/local?key=", "/locks/local?key=%20", "/locks/local?key=a&key=b" })
	void invalidParameterIsABadRequest(String path) {
		assertThat(this.reader.get(path).statusCode()).isEqualTo(400);
	}

	@Test
	void storeThatIsNotConfiguredIsNotFound() {
		assertThat(this.reader.get("/locks/other").statusCode()).isEqualTo(404);
		assertThat(this.reader.get("/locks/other?key=k").statusCode()).isEqualTo(404);
		assertThat(this.administrator.delete("/locks/other?key=k").statusCode()).isEqualTo(404);
		assertThat(this.administrator.takeAudited()).isEmpty();
	}

	@Test
	void keyWithoutAHolderIsFree() {
		DocumentContext lock = json(this.reader.get(LocksWebApplication.lock("unknown")));

		assertThat(lock.<Map<String, Object>>read("$")).containsEntry("reason", "free").doesNotContainKey("holder");
	}

	@Test
	void holderIsNamed() {
		try (LocalLocks.Hold hold = this.reader.store().hold("elsewhere")) {
			DocumentContext lock = json(this.reader.get(LocksWebApplication.lock(hold.key())));

			assertThat(lock.<String>read("$.reason")).isEqualTo("held-by-another-instance");
			assertThat(lock.<String>read("$.holder.instance")).isEqualTo("another instance");
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "a//b", "/a", "a/", "..", "a/../b", " a b ", "grün €", "кл\u202eюч", "\ud83d\udd12", "a,b",
			"a+b", "100%", "a&key=b", "line\nbreak", "a;b", "\"quoted\"", "{json}" })
	void keyIsExact(String key) {
		try (Lease lease = this.reader.acquire(key); LocalLocks.Hold hold = this.administrator.store().hold(key)) {
			assertThat(lease.isHeld()).isTrue();
			DocumentContext lock = json(this.reader.get(LocksWebApplication.lock(key)));
			assertThat(lock.<String>read("$.key")).isEqualTo(key);
			assertThat(lock.<String>read("$.reason")).isEqualTo("held-here");

			DocumentContext released = json(this.administrator.delete(LocksWebApplication.lock(key)));
			assertThat(released.<String>read("$.key")).isEqualTo(key);
			assertThat(released.<String>read("$.outcome")).isEqualTo("released");
			assertThat(hold.isHeld()).isFalse();
		}
		assertThat(this.administrator.takeAudited()).extracting((event) -> event.getData().get("key"))
			.containsExactly(key);
	}

	@Test
	void storeThatDoesNotAnswerIsUnavailable() {
		try (LocalLocks.Outage outage = this.administrator.store().makeUnavailable()) {
			assertThat(outage).isNotNull();
			HttpResponse<String> lock = this.administrator.get(LocksWebApplication.lock("k"));
			HttpResponse<String> page = this.administrator.get("/locks/local");
			HttpResponse<String> released = this.administrator.delete(LocksWebApplication.lock("k"));

			assertThat(List.of(lock, page, released)).extracting(HttpResponse::statusCode)
				.containsExactly(503, 503, 503);
			assertThat(JsonPath.<String>read(lock.body(), "$.reason")).isEqualTo("unavailable");
			assertThat(List.of(lock, page, released))
				.allSatisfy((answer) -> assertThat(JsonPath.<String>read(answer.body(), "$.error"))
					.startsWith("The store 'local' could not be asked: "));
		}
		assertThat(this.administrator.get("/locks").statusCode()).isEqualTo(200);
		assertThat(this.administrator.takeAudited()).extracting((event) -> event.getData().get("outcome"))
			.containsExactly("unknown");
	}

	@Test
	void deleteIsNotAllowedByDefaultAndLeavesNoTrace() {
		try (Lease lease = this.reader.acquire("k")) {
			HttpResponse<String> answer = this.reader.delete(LocksWebApplication.lock("k"));

			assertThat(answer.statusCode()).isEqualTo(405);
			lease.verify();
			assertThat(this.reader.takeAudited()).isEmpty();
			assertThat(this.reader.lost()).isEmpty();
		}
	}

	@Test
	void deleteReleasesNotifiesTheHolderAndIsAudited() {
		Lease lease = this.administrator.acquire("taken");

		DocumentContext answer = json(this.administrator.delete(LocksWebApplication.lock("taken")));

		assertThat(answer.<Map<String, String>>read("$"))
			.isEqualTo(Map.of("key", "taken", "store", "local", "outcome", "released"));
		assertThat(lease.isHeld()).isFalse();
		Awaitility.await()
			.untilAsserted(
					() -> assertThat(this.administrator.lost()).extracting(LeaseLostEvent::key, LeaseLostEvent::reason)
						.contains(tuple("taken", LossReason.TAKEN)));
		AuditEvent audited = this.administrator.takeAudited().get(0);
		assertThat(audited.getPrincipal()).isEqualTo("anonymous");
		assertThat(audited.getType()).isEqualTo("LOCK_FORCE_RELEASE");
		assertThat(audited.getData()).isEqualTo(Map.of("key", "taken", "store", "local", "outcome", "released"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "/locks/local", "/locks/local?key=", "/locks/local?key=a&key=b" })
	void deleteNeedsExactlyOneKey(String path) {
		try (Lease one = this.administrator.acquire("a"); Lease other = this.administrator.acquire("a,b")) {
			assertThat(this.administrator.delete(path).statusCode()).isEqualTo(400);

			one.verify();
			other.verify();
			assertThat(this.administrator.takeAudited()).isEmpty();
		}
	}

	@Test
	void deleteOfAFreeKeyIsAuditedToo() {
		DocumentContext answer = json(this.administrator.delete(LocksWebApplication.lock("free")));

		assertThat(answer.<String>read("$.outcome")).isEqualTo("not-held");
		assertThat(this.administrator.takeAudited()).extracting((event) -> event.getData().get("outcome"))
			.containsExactly("not-held");
	}

}
