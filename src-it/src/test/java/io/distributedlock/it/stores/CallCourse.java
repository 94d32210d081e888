package io.distributedlock.it.stores;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

import io.netty.util.concurrent.SingleThreadEventExecutor;
import net.bytebuddy.agent.ByteBuddyAgent;
import net.bytebuddy.agent.builder.AgentBuilder;
import net.bytebuddy.agent.builder.AgentBuilder.RedefinitionStrategy;
import net.bytebuddy.agent.builder.ResettableClassFileTransformer;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.description.method.MethodDescription;
import net.bytebuddy.matcher.ElementMatcher;
import net.bytebuddy.matcher.ElementMatchers;
import org.jspecify.annotations.Nullable;

/**
 * Walks the stack of a call each time that it reaches a driver. If the call continues on
 * a thread of a pool or of Netty, the stack of the submitting thread comes first, because
 * a reader has to follow each of these frames.
 * <p>
 * The bytecode of the pools and of the drivers is changed for that, and restored at the
 * end. The inlined code knows only the JDK, and finds this object by two system
 * properties.
 */
final class CallCourse implements AutoCloseable {

	private static final String TASKS = "call-course.tasks";

	private static final String REQUESTS = "call-course.requests";

	private static final String OWN = "io.distributedlock.";

	private static final String TESTS = "io.distributedlock.it.";

	private final ThreadLocal<@Nullable List<String>> before = new ThreadLocal<>();

	private final ConcurrentLinkedQueue<List<String>> walks = new ConcurrentLinkedQueue<>();

	private final ResettableClassFileTransformer transformer;

	/**
	 * Begin to watch drivers.
	 * @param drivers the classes by which drivers are called
	 * @param methods the names of their methods that send requests
	 */
	CallCourse(Set<Class<?>> drivers, Set<String> methods) {
		UnaryOperator<Runnable> tasks = this::followed;
		Runnable requests = this::walk;
		System.getProperties().put(TASKS, tasks);
		System.getProperties().put(REQUESTS, requests);
		ElementMatcher<MethodDescription> sends = (method) -> methods.contains(method.getName());
		this.transformer = new AgentBuilder.Default().disableClassFormatChanges()
			.with(RedefinitionStrategy.RETRANSFORMATION)
			.ignore(ElementMatchers.none())
			.type(ElementMatchers.namedOneOf(ThreadPoolExecutor.class.getName(),
					SingleThreadEventExecutor.class.getName()))
			.transform((builder, type, loader, module,
					domain) -> builder.visit(Advice.to(Task.class)
						.on(ElementMatchers.named("execute").and(ElementMatchers.takesArguments(Runnable.class)))))
			.type(ElementMatchers.namedOneOf(drivers.stream().map(Class::getName).toArray(String[]::new)))
			.transform((builder, type, loader, module, domain) -> builder.visit(Advice.to(Request.class).on(sends)))
			.installOn(ByteBuddyAgent.install());
	}

	/**
	 * Begin to follow the calls of this thread.
	 */
	void begin() {
		this.walks.clear();
		this.before.set(List.of());
	}

	/**
	 * Stop following the calls of this thread.
	 * @return the frames of each request that was made: types and methods, from the
	 * outermost one on
	 */
	List<List<String>> end() {
		this.before.remove();
		return List.copyOf(this.walks);
	}

	private Runnable followed(Runnable task) {
		List<String> submitted = frames();
		if (submitted == null) {
			return task;
		}
		return () -> {
			this.before.set(submitted);
			try {
				task.run();
			}
			finally {
				this.before.remove();
			}
		};
	}

	private void walk() {
		List<String> frames = frames();
		if (frames != null) {
			this.walks.add(frames);
		}
	}

	/**
	 * Return the frames of this thread below those that led to it, or {@code null} if it
	 * is not followed.
	 */
	private @Nullable List<String> frames() {
		List<String> outer = this.before.get();
		if (outer == null) {
			return null;
		}
		List<String> own = StackWalker.getInstance()
			.walk((frames) -> frames.filter((frame) -> frame.getClassName().startsWith(OWN))
				.filter((frame) -> !frame.getClassName().startsWith(TESTS))
				.map((frame) -> frame.getClassName() + "#" + frame.getMethodName())
				.collect(Collectors.toCollection(ArrayList::new)));
		Collections.reverse(own);
		own.addAll(0, outer);
		return own;
	}

	@Override
	public void close() {
		this.transformer.reset(ByteBuddyAgent.install(), RedefinitionStrategy.RETRANSFORMATION);
		System.getProperties().remove(TASKS);
		System.getProperties().remove(REQUESTS);
	}

	/**
	 * Inlined at the submission of a task to a pool.
	 */
	static final class Task {

		private Task() {
		}

		@Advice.OnMethodEnter
		@SuppressWarnings("unchecked")
		static void enter(@Advice.Argument(value = 0, readOnly = false) Runnable task) {
			Object tasks = System.getProperties().get("call-course.tasks");
			if (tasks != null) {
				task = ((UnaryOperator<Runnable>) tasks).apply(task);
			}
		}

	}

	/**
	 * Inlined at the call of a driver.
	 */
	static final class Request {

		private Request() {
		}

		@Advice.OnMethodEnter
		static void enter() {
			Object requests = System.getProperties().get("call-course.requests");
			if (requests != null) {
				((Runnable) requests).run();
			}
		}

	}

}
