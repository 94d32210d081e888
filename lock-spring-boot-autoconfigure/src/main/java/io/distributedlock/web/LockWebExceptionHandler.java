package io.distributedlock.web;

import java.util.List;

import org.springframework.context.MessageSource;
import org.springframework.core.Ordered;
import org.springframework.core.ResolvableType;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.http.codec.HttpMessageWriter;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.ErrorResponse;
import org.springframework.web.reactive.function.server.ServerResponse;
import org.springframework.web.reactive.result.view.ViewResolver;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebExceptionHandler;
import reactor.core.publisher.Mono;

/**
 * Answers requests to Spring WebFlux that failed with an exception of a lock with a
 * {@link ProblemDetail}, as {@code application/problem+json} whatever the client accepts.
 * The answer never contains a key, a holder, a token or a store. Without a writer for
 * JSON it has no body. A committed response is left unchanged.
 *
 * @since 0.1.0
 */
public final class LockWebExceptionHandler implements WebExceptionHandler, Ordered {

	private static final ResolvableType PROBLEM = ResolvableType.forClass(ProblemDetail.class);

	private final MessageSource texts;

	private final List<HttpMessageWriter<?>> writers;

	private final int order;

	/**
	 * Create the handler.
	 * @param texts translates types, titles and details, by the codes of Spring's
	 * {@link ErrorResponse}
	 * @param writers write the body
	 * @param order the place among the handlers of the application
	 */
	public LockWebExceptionHandler(MessageSource texts, List<HttpMessageWriter<?>> writers, int order) {
		this.texts = texts;
		this.writers = List.copyOf(writers);
		this.order = order;
	}

	@Override
	public int getOrder() {
		return this.order;
	}

	@Override
	public Mono<Void> handle(ServerWebExchange exchange, Throwable ex) {
		LockFailure failure = LockFailure.find(ex);
		if (failure == null || exchange.getResponse().isCommitted()) {
			return Mono.error(ex);
		}
		return write(failure.answer(this.texts, exchange.getLocaleContext().getLocale()), exchange);
	}

	private Mono<Void> write(ErrorResponse answer, ServerWebExchange exchange) {
		ServerHttpResponse response = exchange.getResponse();
		response.getHeaders().clearContentHeaders();
		ServerResponse.BodyBuilder builder = ServerResponse.status(answer.getStatusCode())
			.headers((headers) -> headers.addAll(answer.getHeaders()));
		// Written as it is: Spring would add the path of the request, which may contain
		// the key, to a problem that a handler returns.
		Mono<ServerResponse> written = this.writers.stream().anyMatch(LockWebExceptionHandler::writesProblems)
				? builder.contentType(MediaType.APPLICATION_PROBLEM_JSON).bodyValue(answer.getBody()) : builder.build();
		return written.flatMap((it) -> it.writeTo(exchange, new Writers(this.writers)));
	}

	private static boolean writesProblems(HttpMessageWriter<?> writer) {
		return writer.canWrite(PROBLEM, MediaType.APPLICATION_PROBLEM_JSON);
	}

	private record Writers(List<HttpMessageWriter<?>> messageWriters) implements ServerResponse.Context {

		@Override
		public List<ViewResolver> viewResolvers() {
			return List.of();
		}

	}

}
