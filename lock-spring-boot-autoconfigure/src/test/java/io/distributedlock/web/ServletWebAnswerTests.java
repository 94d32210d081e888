package io.distributedlock.web;

import java.io.IOException;
import java.io.UncheckedIOException;

import jakarta.servlet.http.HttpServletResponse;
import org.springframework.boot.WebApplicationType;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.RouterFunctions;
import org.springframework.web.servlet.function.ServerResponse;

import io.distributedlock.LockBusyException;

/**
 * The answers of Spring MVC on Tomcat.
 */
class ServletWebAnswerTests extends WebAnswerContract {

	@Override
	Class<?> stack() {
		return Functions.class;
	}

	@Override
	WebApplicationType type() {
		return WebApplicationType.SERVLET;
	}

	@Configuration(proxyBeanMethods = false)
	@RestController
	static class Functions {

		@GetMapping("/committed")
		void failAfterCommit(HttpServletResponse response) throws IOException {
			response.setContentType("text/plain");
			response.getWriter().write("part");
			response.flushBuffer();
			throw new LockBusyException("k", "busy", null);
		}

		@Bean
		RouterFunction<ServerResponse> busyFunction(FailingController locked) {
			return RouterFunctions.route()
				.GET("/function/busy/{id}",
						(request) -> ServerResponse.ok().body(locked.busy(request.pathVariable("id"))))
				.build();
		}

		@Bean
		RouterFunction<ServerResponse> ownFunction() {
			return RouterFunctions.route().GET("/own/function", (request) -> {
				throw new LockBusyException("k", "busy", null);
			}).onError(LockBusyException.class, (ex, request) -> ServerResponse.status(418).body("function")).build();
		}

		@Bean
		HandlerExceptionResolver ownResolver() {
			return (request, response, handler, ex) -> {
				if (!request.getRequestURI().equals("/own/bean")) {
					return null;
				}
				response.setStatus(418);
				try {
					response.getWriter().write("bean");
				}
				catch (IOException failed) {
					throw new UncheckedIOException(failed);
				}
				return new ModelAndView();
			};
		}

	}

}
