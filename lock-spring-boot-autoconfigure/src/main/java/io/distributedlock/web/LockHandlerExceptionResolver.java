package io.distributedlock.web;

import java.io.IOException;
import java.util.List;
import java.util.function.Supplier;

import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;
import org.springframework.context.MessageSource;
import org.springframework.core.Ordered;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.http.converter.HttpMessageConverter;
import org.springframework.web.ErrorResponse;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.function.ServerResponse;
import org.springframework.web.servlet.handler.AbstractHandlerExceptionResolver;
import org.springframework.web.servlet.support.RequestContextUtils;

/**
 * Answers requests to Spring MVC that failed with an exception of a lock with a
 * {@link ProblemDetail}, as {@code application/problem+json} whatever the client accepts.
 * Comes after all other resolvers. The answer never contains a key, a holder, a token or
 * a store. Without a message converter for JSON it has no body. A committed response is
 * left unchanged.
 *
 * @since 0.1.0
 */
public final class LockHandlerExceptionResolver extends AbstractHandlerExceptionResolver {

	private final MessageSource texts;

	private final Supplier<List<HttpMessageConverter<?>>> converters;

	/**
	 * Create the resolver.
	 * @param texts translates types, titles and details, by the codes of Spring's
	 * {@link ErrorResponse}
	 * @param converters returns the converters that write the body; called for each
	 * answer
	 */
	public LockHandlerExceptionResolver(MessageSource texts, Supplier<List<HttpMessageConverter<?>>> converters) {
		this.texts = texts;
		this.converters = converters;
		setOrder(Ordered.LOWEST_PRECEDENCE);
	}

	@Override
	protected @Nullable ModelAndView doResolveException(HttpServletRequest request, HttpServletResponse response,
			@Nullable Object handler, Exception ex) {
		LockFailure failure = LockFailure.find(ex);
		if (failure == null || response.isCommitted()) {
			return null;
		}
		try {
			write(failure.answer(this.texts, RequestContextUtils.getLocale(request)), request, response);
			return new ModelAndView();
		}
		catch (IOException | ServletException failed) {
			failed.addSuppressed(ex);
			this.logger.warn("The answer to a request could not be written", failed);
			return null;
		}
	}

	private void write(ErrorResponse answer, HttpServletRequest request, HttpServletResponse response)
			throws IOException, ServletException {
		List<HttpMessageConverter<?>> writers = this.converters.get();
		ServerResponse.BodyBuilder builder = ServerResponse.status(answer.getStatusCode())
			.headers((headers) -> headers.addAll(answer.getHeaders()));
		// Written as it is: Spring would add the path of the request, which may contain
		// the key, to a problem that a handler returns.
		ServerResponse written = writers.stream().anyMatch(LockHandlerExceptionResolver::writesProblems)
				? builder.contentType(MediaType.APPLICATION_PROBLEM_JSON).body(answer.getBody()) : builder.build();
		written.writeTo(request, response, () -> writers);
	}

	private static boolean writesProblems(HttpMessageConverter<?> converter) {
		return converter.canWrite(ProblemDetail.class, MediaType.APPLICATION_PROBLEM_JSON);
	}

}
