package io.distributedlock.aop;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;

import javax.tools.ToolProvider;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Compiles a class without the names of parameters.
 */
final class FixtureCompiler {

	private FixtureCompiler() {
	}

	static Class<?> compileWithoutParameters(String name, String source) throws IOException, ClassNotFoundException {
		Path folder = Files.createTempDirectory("fixture");
		Path file = Files.writeString(folder.resolve(name + ".java"), source);
		int result = ToolProvider.getSystemJavaCompiler()
			.run(null, null, null, "-proc:none", "-cp", System.getProperty("java.class.path"), "-d", folder.toString(),
					file.toString());
		assertThat(result).isZero();
		URLClassLoader loader = new URLClassLoader(new URL[] { folder.toUri().toURL() },
				FixtureCompiler.class.getClassLoader());
		return Class.forName(name, true, loader);
	}

}
