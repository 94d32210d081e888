package io.distributedlock.web;

import java.nio.charset.StandardCharsets;

import org.springframework.boot.WebApplicationType;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.reactive.function.server.ServerResponse;
import org.springframework.web.server.WebExceptionHandler;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import io.distributedlock.LockBusyException;

/**
 * The answers of Spring WebFlux on Reactor Netty.
 */
class ReactiveWebAnswerTests extends WebAnswerContract {

	@Override
	Class<?> stack() {
		return Functions.class;
	}

	@Override
	WebApplicationType type() {
		return WebApplicationType.REACTIVE;
	}

	@Configuration(proxyBeanMethods = false)
	static class Functions {

		@Bean
		RouterFunction<ServerResponse> committedFunction() {
			Flux<String> body = Flux.just("part").concatWith(Mono.error(new LockBusyException("k", "busy", null)));
			return RouterFunctions.route()
				.GET("/committed",
						(request) -> ServerResponse.ok()
							.contentType(MediaType.TEXT_EVENT_STREAM)
							.body((response,
									context) -> response.writeAndFlushWith(body.map((text) -> Mono
										.just(response.bufferFactory().wrap(text.getBytes(StandardCharsets.UTF_8)))))))
				.build();
		}

		@Bean
		RouterFunction<ServerResponse> busyFunction(FailingController locked) {
			return RouterFunctions.route()
				.GET("/function/busy/{id}",
						(request) -> ServerResponse.ok().bodyValue(locked.busy(request.pathVariable("id"))))
				.build();
		}

		@Bean
		RouterFunction<ServerResponse> ownFunction() {
			return RouterFunctions.route()
				.GET("/own/function", (request) -> Mono.error(new LockBusyException("k", "busy", null)))
				.onError(LockBusyException.class, (ex, request) -> ServerResponse.status(418).bodyValue("function"))
				.build();
		}

		@Bean
		@Order(-1)
		WebExceptionHandler ownHandler() {
			return (exchange, ex) -> {
				if (!exchange.getRequest().getPath().value().equals("/own/bean")) {
					return Mono.error(ex);
				}
				ServerHttpResponse response = exchange.getResponse();
				response.setStatusCode(HttpStatus.I_AM_A_TEAPOT);
				return response
					.writeWith(Mono.just(response.bufferFactory().wrap("bean".getBytes(StandardCharsets.UTF_8))));
			};
		}

	}

}
