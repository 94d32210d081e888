package io.distributedlock.documentation;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

import javax.lang.model.element.Modifier;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.ModifiersTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.Tree.Kind;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.DocTrees;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreePathScanner;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that the Javadoc of public types and members is written in plain English. The
 * Javadoc of configuration properties counts as public, because it becomes metadata.
 */
class JavadocVoiceTests {

	private static final Path SOURCES = Page.ROOT.resolve("lock-spring-boot-autoconfigure/src/main/java");

	private static final int LEAST_COMMENTS = 500;

	@Test
	void publicJavadocIsPlain() throws IOException {
		List<Comment> comments = publicJavadoc();

		assertThat(comments).as("Javadoc that was found").hasSizeGreaterThan(LEAST_COMMENTS);
		assertThat(comments.stream().flatMap((comment) -> comment.findings().stream())).isEmpty();
	}

	@Test
	void codeAndNamesAreNotLookedAt() {
		assertThat(
				prose("Returns {@code told}, see {@link Told#tell() the report}.\n@param told the report\n@see Told"))
			.isEqualTo("Returns `told`, see  the report.\n`told` the report\n");
	}

	private static List<Comment> publicJavadoc() throws IOException {
		JavaCompiler compiler = Objects.requireNonNull(ToolProvider.getSystemJavaCompiler(), "a JDK");
		try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null);
				Stream<Path> sources = Files.walk(SOURCES)) {
			List<Path> paths = sources.filter((path) -> path.toString().endsWith(".java")).toList();
			JavacTask task = (JavacTask) compiler.getTask(null, files, (diagnostic) -> {
			}, List.of("-proc:none"), null, files.getJavaFileObjectsFromPaths(paths));
			PublicComments comments = new PublicComments(DocTrees.instance(task));
			task.parse().forEach((unit) -> comments.scan(unit, null));
			return comments.found;
		}
	}

	/**
	 * Return the words of a comment, without names of code.
	 */
	private static String prose(String javadoc) {
		return javadoc.replaceAll("(?m)^\\s*@(see|since).*$", "")
			.replaceAll("\\{@(?:code|value)\\s+([^}]*)}", "`$1`")
			.replaceAll("\\{@link(?:plain)?\\s+[^\\s}(]+(?:\\([^)]*\\))?([^}]*)}", "$1")
			.replaceAll("(?m)^\\s*@param\\s+(\\S+)", "`$1`")
			.replaceAll("(?m)^\\s*@throws\\s+\\S+", "");
	}

	private record Comment(String place, String javadoc) {

		List<String> findings() {
			return Voice.findings(prose(this.javadoc)).stream().map((finding) -> this.place + ": " + finding).toList();
		}

	}

	/**
	 * Collects the comments of declarations that other packages can use.
	 */
	private static final class PublicComments extends TreePathScanner<Void, Void> {

		private final List<Comment> found = new ArrayList<>();

		private final DocTrees trees;

		PublicComments(DocTrees trees) {
			this.trees = trees;
		}

		@Override
		public Void visitClass(ClassTree type, Void nothing) {
			if (isVisible(type.getModifiers())) {
				add(type);
				return super.visitClass(type, nothing);
			}
			return null;
		}

		@Override
		public Void visitMethod(MethodTree method, Void nothing) {
			if (isVisible(method.getModifiers())) {
				add(method);
			}
			return null;
		}

		@Override
		public Void visitVariable(VariableTree field, Void nothing) {
			if (isVisible(field.getModifiers())) {
				add(field);
			}
			return null;
		}

		/**
		 * The members of a hidden type are not visited. Members of interfaces are public
		 * without saying so.
		 */
		private boolean isVisible(ModifiersTree modifiers) {
			Set<Modifier> flags = modifiers.getFlags();
			Tree owner = getCurrentPath().getParentPath().getLeaf();
			boolean inInterface = owner.getKind() == Kind.INTERFACE || owner.getKind() == Kind.ANNOTATION_TYPE;
			boolean properties = modifiers.getAnnotations()
				.stream()
				.anyMatch((annotation) -> annotation.getAnnotationType().toString().equals("ConfigurationProperties"));
			return flags.contains(Modifier.PUBLIC) || flags.contains(Modifier.PROTECTED)
					|| (inInterface && !flags.contains(Modifier.PRIVATE)) || properties || isNestedInProperties(owner);
		}

		private static boolean isNestedInProperties(Tree owner) {
			return owner instanceof ClassTree type && type.getKind() == Kind.RECORD
					&& type.getSimpleName().toString().matches("Lock\\w*Properties");
		}

		private void add(Tree declaration) {
			String javadoc = this.trees.getDocComment(getCurrentPath());
			if (javadoc != null) {
				this.found.add(new Comment(place(declaration), javadoc));
			}
		}

		private String place(Tree declaration) {
			CompilationUnitTree unit = getCurrentPath().getCompilationUnit();
			long start = this.trees.getSourcePositions().getStartPosition(unit, declaration);
			return relative(Path.of(unit.getSourceFile().toUri())) + ":" + unit.getLineMap().getLineNumber(start);
		}

		private static Path relative(Path source) {
			try {
				return Page.ROOT.toRealPath().relativize(source.toRealPath());
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}

	}

}
