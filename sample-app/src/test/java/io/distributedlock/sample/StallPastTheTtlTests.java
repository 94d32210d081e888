package io.distributedlock.sample;

import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.http.HttpStatus;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.web.context.WebApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The sample with a short TTL.
 */
@SpringBootTest(properties = { "spring.datasource.url=jdbc:h2:mem:stalled;DB_CLOSE_DELAY=-1", "sample.stall.ttl=200ms",
		"sample.count.cron=-" })
class StallPastTheTtlTests {

	private static final long ORDER = 42;

	@Test
	void isRolledBackWhereNobodyCameInBetween(@Autowired WebApplicationContext context,
			@Autowired OrderRepository orders) {
		MockMvcTester mvc = MockMvcTester.from(context);
		assertThat(mvc.put().uri("/orders/{id}?stock=10", ORDER)).hasStatusOk();

		assertThat(mvc.post().uri("/orders/{id}/stall?ms=300", ORDER)).hasStatus(HttpStatus.CONFLICT)
			.bodyJson()
			.extractingPath("$.type")
			.isEqualTo("urn:problem:lease-lost");
		assertThat(orders.get(ORDER).stock()).isEqualTo(10);
	}

}
