package io.distributedlock.web;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.springframework.context.support.StaticMessageSource;
import org.springframework.http.HttpStatus;
import org.springframework.mock.http.server.reactive.MockServerHttpRequest;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.mock.web.server.MockServerWebExchange;

import io.distributedlock.LockBusyException;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Answers of an application without a JSON library, which consist of header fields alone.
 */
class AnswerWithoutJsonTests {

	private final StaticMessageSource texts = new StaticMessageSource();

	private final LockBusyException busy = new LockBusyException("k", "busy", Duration.ofSeconds(3));

	@Test
	void servletResponseHasNoBody() {
		MockHttpServletResponse response = new MockHttpServletResponse();

		assertThat(new LockHandlerExceptionResolver(this.texts, List::of)
			.resolveException(new MockHttpServletRequest("GET", "/"), response, null, this.busy)).isNotNull();

		assertThat(response.getStatus()).isEqualTo(409);
		assertThat(response.getHeader("Retry-After")).isEqualTo("3");
		assertThat(response.getContentType()).isNull();
		assertThat(response.getContentAsByteArray()).isEmpty();
	}

	@Test
	void reactiveResponseHasNoBody() {
		MockServerWebExchange exchange = MockServerWebExchange.from(MockServerHttpRequest.get("/"));

		new LockWebExceptionHandler(this.texts, List.of(), 0).handle(exchange, this.busy).block();

		assertThat(exchange.getResponse().getStatusCode()).isEqualTo(HttpStatus.CONFLICT);
		assertThat(exchange.getResponse().getHeaders().getFirst("Retry-After")).isEqualTo("3");
		assertThat(exchange.getResponse().getHeaders().getContentType()).isNull();
		assertThat(exchange.getResponse().getBodyAsString().block()).isEmpty();
	}

}
