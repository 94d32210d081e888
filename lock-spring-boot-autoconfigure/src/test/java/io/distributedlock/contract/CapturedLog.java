package io.distributedlock.contract;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.AppenderBase;
import org.slf4j.LoggerFactory;

/**
 * Records log messages until it is closed, down to {@code DEBUG} for the given loggers.
 */
public final class CapturedLog implements AutoCloseable {

	/**
	 * The level that each logger had before, and one for each further record that uses
	 * it: tests run side by side. Guarded by itself.
	 */
	private static final Map<Logger, List<Optional<Level>>> LEVELS = new HashMap<>();

	private final List<Line> lines = new CopyOnWriteArrayList<>();

	private final List<Logger> loggers = new CopyOnWriteArrayList<>();

	private final LoggerContext context = context();

	private final AppenderBase<ILoggingEvent> appender = new AppenderBase<>() {

		@Override
		protected void append(ILoggingEvent event) {
			String trace = (event.getThrowableProxy() != null) ? ThrowableProxyUtil.asString(event.getThrowableProxy())
					: "";
			CapturedLog.this.lines.add(new Line(event.getLevel().toString(), event.getLoggerName(),
					event.getThreadName(), event.getFormattedMessage(), trace));
		}

	};

	private CapturedLog() {
		this.appender.setContext(this.context);
	}

	/**
	 * Continue to record after a Spring application has reconfigured logging.
	 */
	public void attach() {
		this.appender.start();
		this.context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME).addAppender(this.appender);
		this.loggers.forEach((logger) -> logger.setLevel(Level.DEBUG));
	}

	/**
	 * Return the context; another thread may be about to create the first logger.
	 */
	private static LoggerContext context() {
		while (true) {
			if (LoggerFactory.getILoggerFactory() instanceof LoggerContext made) {
				return made;
			}
			Thread.onSpinWait();
		}
	}

	/**
	 * Begin to record.
	 * @param loggers names of loggers that log down to {@code DEBUG} meanwhile
	 * @return the record
	 */
	public static CapturedLog atDebug(String... loggers) {
		CapturedLog log = new CapturedLog();
		synchronized (LEVELS) {
			for (String name : loggers) {
				Logger logger = log.context.getLogger(name);
				log.loggers.add(logger);
				LEVELS.computeIfAbsent(logger, (first) -> new ArrayList<>())
					.add(Optional.ofNullable(logger.getLevel()));
			}
		}
		log.attach();
		return log;
	}

	/**
	 * Return the lines that were logged so far.
	 * @return the lines
	 */
	public List<Line> lines() {
		return List.copyOf(this.lines);
	}

	@Override
	public void close() {
		this.context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME).detachAppender(this.appender);
		this.appender.stop();
		synchronized (LEVELS) {
			this.loggers.forEach(CapturedLog::restore);
		}
	}

	private static void restore(Logger logger) {
		List<Optional<Level>> levels = LEVELS.get(logger);
		if (levels.size() > 1) {
			levels.remove(levels.size() - 1);
		}
		else {
			logger.setLevel(levels.get(0).orElse(null));
			LEVELS.remove(logger);
		}
	}

	/**
	 * One line of a log.
	 *
	 * @param level the level
	 * @param logger the logger
	 * @param thread the thread
	 * @param message the message
	 * @param trace the stack trace; empty without one
	 */
	public record Line(String level, String logger, String thread, String message, String trace) {

		/**
		 * Return whether this line reports a problem.
		 * @return whether the level is {@code WARN} or {@code ERROR}
		 */
		public boolean isProblem() {
			return this.level.equals("WARN") || this.level.equals("ERROR");
		}

	}

}
