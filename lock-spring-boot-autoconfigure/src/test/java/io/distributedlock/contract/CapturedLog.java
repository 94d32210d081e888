package io.distributedlock.contract;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.AppenderBase;
import org.slf4j.LoggerFactory;

/**
 * Records what is logged, from all levels down to {@code DEBUG} of the loggers that it is
 * given, until it is closed.
 */
public final class CapturedLog implements AutoCloseable {

	private final List<Line> lines = new CopyOnWriteArrayList<>();

	private final Map<Logger, Level> levels = new ConcurrentHashMap<>();

	private final LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();

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
		this.appender.start();
		this.context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME).addAppender(this.appender);
	}

	/**
	 * Begin to record.
	 * @param loggers names of loggers that log down to {@code DEBUG} meanwhile
	 * @return the record
	 */
	public static CapturedLog atDebug(String... loggers) {
		CapturedLog log = new CapturedLog();
		for (String name : loggers) {
			Logger logger = log.context.getLogger(name);
			if (!logger.isDebugEnabled()) {
				if (logger.getLevel() != null) {
					log.levels.put(logger, logger.getLevel());
				}
				logger.setLevel(Level.DEBUG);
			}
		}
		return log;
	}

	/**
	 * Return what was logged so far.
	 * @return the lines
	 */
	public List<Line> lines() {
		return List.copyOf(this.lines);
	}

	@Override
	public void close() {
		this.context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME).detachAppender(this.appender);
		this.appender.stop();
		this.levels.forEach(Logger::setLevel);
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
		 * Return whether something is not as it should be.
		 * @return whether the level is {@code WARN} or {@code ERROR}
		 */
		public boolean isProblem() {
			return this.level.equals("WARN") || this.level.equals("ERROR");
		}

	}

}
