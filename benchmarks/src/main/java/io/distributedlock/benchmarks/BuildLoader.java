package io.distributedlock.benchmarks;

import java.io.File;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Enumeration;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;

import io.distributedlock.LockTemplate;
import io.distributedlock.benchmarks.contest.Address;
import io.distributedlock.benchmarks.contest.AsynchronousSide;
import io.distributedlock.benchmarks.contest.Side;

/**
 * Loads another build of this project beside the current one. The libraries are shared,
 * and so are the types by which a side is used.
 */
final class BuildLoader extends URLClassLoader {

	private static final String PROJECT = "io.distributedlock.";

	private static final Set<String> SHARED = Set.of(Side.class.getName(), Side.Held.class.getName(),
			AsynchronousSide.class.getName(), AsynchronousSide.AsynchronousHeld.class.getName(),
			Address.class.getName());

	static {
		registerAsParallelCapable();
	}

	private BuildLoader(URL[] urls) {
		super(urls, BuildLoader.class.getClassLoader());
	}

	/**
	 * Return what opens a side of another build.
	 * @param build the classes of its auto-configuration: a folder or a JAR file
	 * @return a function from the address of a store to the side, to be closed by the
	 * caller
	 */
	@SuppressWarnings("unchecked")
	static Function<Address, Side> subjectOf(Path build) {
		return (address) -> {
			Thread thread = Thread.currentThread();
			ClassLoader before = thread.getContextClassLoader();
			ClassLoader loader = new BuildLoader(classPath(build));
			// Spring Boot finds the auto-configurations through it.
			thread.setContextClassLoader(loader);
			try {
				Class<?> opening = loader.loadClass(SubjectOpening.class.getName());
				return ((Function<Address, Side>) opening.getDeclaredConstructor().newInstance()).apply(address);
			}
			catch (ReflectiveOperationException | LinkageError ex) {
				throw new IllegalArgumentException("This build can't be loaded: " + build, ex);
			}
			finally {
				thread.setContextClassLoader(before);
			}
		};
	}

	// The current build is left out, so that a class which the other one lacks is missed
	// instead of mixed in.
	private static URL[] classPath(Path build) {
		URL current = LockTemplate.class.getProtectionDomain().getCodeSource().getLocation();
		List<URL> others = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
			.map(Path::of)
			.map(BuildLoader::url)
			.filter((entry) -> !entry.toExternalForm().equals(current.toExternalForm()))
			.toList();
		return Stream.concat(Stream.of(url(build)), others.stream()).toArray(URL[]::new);
	}

	private static URL url(Path path) {
		try {
			return path.toAbsolutePath().normalize().toUri().toURL();
		}
		catch (MalformedURLException ex) {
			throw new IllegalArgumentException(path.toString(), ex);
		}
	}

	@Override
	protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
		if (!name.startsWith(PROJECT) || SHARED.contains(name)) {
			return super.loadClass(name, resolve);
		}
		synchronized (getClassLoadingLock(name)) {
			Class<?> loaded = findLoadedClass(name);
			return (loaded != null) ? loaded : findClass(name);
		}
	}

	@Override
	public URL getResource(String name) {
		URL own = findResource(name);
		return (own != null) ? own : super.getResource(name);
	}

	@Override
	public Enumeration<URL> getResources(String name) throws IOException {
		Enumeration<URL> own = findResources(name);
		return own.hasMoreElements() ? own : super.getResources(name);
	}

}
