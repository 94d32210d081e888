package io.distributedlock;

import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.AccessTarget;
import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

/**
 * Checks the dependencies between packages, the seams for time and threads, and the names
 * of classes.
 */
class ArchitectureTests {

	private static final String BASE = "io.distributedlock";

	private static final String ROOT = "";

	private static final String ALL = "*";

	/**
	 * The packages on which each package may depend besides itself.
	 */
	private static final Map<String, Set<String>> ARROWS = Map
		.ofEntries(Map.entry(ROOT, Set.of()), Map.entry("spi", Set.of(ROOT)), Map.entry("engine", Set.of(ROOT, "spi")),
				Map.entry("epoch", Set.of(ROOT, "spi")), Map.entry("backend", Set.of(ROOT, "spi")),
				Map.entry("backend.local", Set.of(ROOT, "spi")), Map.entry("backend.call", Set.of(ROOT, "spi")),
				Map.entry("backend.notification", Set.of(ROOT, "spi")),
				Map.entry("backend.scan", Set.of(ROOT, "spi", "backend.call")),
				Map.entry("backend.jdbc", Set.of(ROOT, "spi", "backend", "backend.call", "backend.notification")),
				Map.entry("backend.redis",
						Set.of(ROOT, "spi", "backend", "backend.call", "backend.notification", "backend.scan",
								"backend.redis.script")),
				Map.entry("backend.redis.script", Set.of(ROOT, "backend.scan")),
				Map.entry("backend.redlock",
						Set.of(ROOT, "spi", "backend", "backend.call", "backend.notification", "backend.scan",
								"backend.redis.script")),
				Map.entry("backend.redlock.lettuce",
						Set.of(ROOT, "spi", "backend.call", "backend.notification", "backend.scan",
								"backend.redis.script", "backend.redlock")),
				Map.entry("backend.session", Set.of("spi")),
				Map.entry("backend.zookeeper", Set.of(ROOT, "spi", "backend", "backend.call", "backend.session")),
				Map.entry("backend.etcd", Set.of(ROOT, "spi", "backend", "backend.call", "backend.session")),
				Map.entry("fencing", Set.of(ROOT)), Map.entry("aop", Set.of(ROOT, "spi")),
				Map.entry("transaction", Set.of(ROOT, "spi")), Map.entry("scheduling", Set.of(ROOT, "spi", "aop")),
				Map.entry("reactive", Set.of(ROOT, "spi")), Map.entry("integration", Set.of(ROOT, "spi")),
				Map.entry("observation", Set.of(ROOT, "spi")), Map.entry("actuate", Set.of(ROOT, "spi", "observation")),
				Map.entry("test", Set.of(ROOT, "spi", "backend.local")), Map.entry("web", Set.of(ROOT)),
				Map.entry("autoconfigure", Set.of(ALL)));

	private static final Pattern PACKAGE = Pattern
		.compile(Pattern.quote(BASE) + "(?:\\.(backend(?:\\.[^.]+)+|[^.]+))?(?:\\..*)?");

	private static final List<String> ALLOWED_FOR_ROOT = List.of("java", "org.jspecify", "org.springframework.core",
			"org.springframework.util", "org.springframework.lang", "org.springframework.aot");

	private static final String[] TIME_AND_THREADS = { BASE + ".engine.SystemLockClock",
			BASE + ".engine.EngineThreads" };

	/**
	 * Class names of one word in the engine and the stores, and why one word is enough.
	 */
	private static final Map<String, String> ONE_WORD_NAMES = Map.of("Waiter", "the term of the SPI and its users",
			"Dialect", "as in Hibernate and Spring Data: the SQL of one database");

	private final JavaClasses classes = new ClassFileImporter().withImportOption(new ImportOption.DoNotIncludeTests())
		.importPackages(BASE);

	@Test
	void arrowsBetweenPackagesHold() {
		classes().should(followTheArrows()).allowEmptyShould(true).check(this.classes);
	}

	@Test
	void rootPackageKnowsOnlyTheJdkJSpecifyAndSpringCore() {
		classes().that()
			.resideInAPackage(BASE)
			.should(dependOnNothingOutsideBut(ALLOWED_FOR_ROOT))
			.allowEmptyShould(true)
			.check(this.classes);
	}

	@Test
	void onlyAutoconfigureAndActuateKnowBoot() {
		noClasses().that()
			.resideOutsideOfPackages(BASE + ".autoconfigure..", BASE + ".actuate..")
			.should()
			.dependOnClassesThat()
			.resideInAPackage("org.springframework.boot..")
			.allowEmptyShould(true)
			.check(this.classes);
	}

	@Test
	void redlockProtocolKnowsNoDriver() {
		noClasses().that()
			.resideInAPackage(BASE + ".backend.redlock")
			.should()
			.dependOnClassesThat()
			.resideInAnyPackage("io.lettuce..", "redis..", "org.springframework.data..")
			.check(this.classes);
	}

	@Test
	void timeAndThreadsComeFromTheSeam() {
		noClasses().that(areOutsideTheSeam())
			.should()
			.accessTargetWhere(readsAClockSleepsOrStartsThreads())
			.allowEmptyShould(true)
			.check(this.classes);
	}

	@Test
	void everyPackageIsNullMarked() {
		classes().should(resideInANullMarkedPackage()).allowEmptyShould(true).check(this.classes);
	}

	@Test
	void simpleNamesAreGivenOnce() {
		classes().should(haveASimpleNameOfTheirOwn()).allowEmptyShould(true).check(this.classes);
	}

	@Test
	void namesInTheEngineAndTheStoresHaveTwoWords() {
		classes().that()
			.resideInAnyPackage(BASE + ".engine..", BASE + ".backend..")
			.and()
			.areTopLevelClasses()
			.should(haveANameOfTwoWords())
			.allowEmptyShould(true)
			.check(this.classes);
	}

	private static ArchCondition<JavaClass> haveASimpleNameOfTheirOwn() {
		return new ArchCondition<>("have a simple name that no top-level class has besides") {

			private Map<String, List<JavaClass>> topLevel = Map.of();

			@Override
			public void init(Collection<JavaClass> all) {
				this.topLevel = all.stream()
					.filter(JavaClass::isTopLevelClass)
					.filter((candidate) -> !isPackageInfo(candidate))
					.collect(Collectors.groupingBy(JavaClass::getSimpleName));
			}

			@Override
			public void check(JavaClass origin, ConditionEvents events) {
				for (JavaClass other : this.topLevel.getOrDefault(origin.getSimpleName(), List.of())) {
					if (!other.equals(origin)) {
						events.add(SimpleConditionEvent.violated(origin,
								"%s has the simple name of %s".formatted(origin.getName(), other.getName())));
					}
				}
			}

		};
	}

	private static ArchCondition<JavaClass> haveANameOfTwoWords() {
		return new ArchCondition<>("have a name of two words, or be one of " + ONE_WORD_NAMES.keySet()) {

			@Override
			public void check(JavaClass origin, ConditionEvents events) {
				boolean oneWord = origin.getSimpleName().chars().skip(1).noneMatch(Character::isUpperCase);
				if (oneWord && !isPackageInfo(origin) && !ONE_WORD_NAMES.containsKey(origin.getSimpleName())) {
					events.add(SimpleConditionEvent.violated(origin,
							"%s does not say its subject without its package".formatted(origin.getName())));
				}
			}

		};
	}

	private static boolean isPackageInfo(JavaClass candidate) {
		return candidate.getSimpleName().equals("package-info");
	}

	private static ArchCondition<JavaClass> followTheArrows() {
		return new ArchCondition<>("follow the arrows between packages") {

			@Override
			public void check(JavaClass origin, ConditionEvents events) {
				String from = unit(origin);
				Set<String> allowed = ARROWS.get(from);
				if (allowed == null) {
					events.add(SimpleConditionEvent.violated(origin,
							"%s is in package '%s', for which no arrows are given".formatted(origin.getName(), from)));
					return;
				}
				for (Dependency dependency : origin.getDirectDependenciesFromSelf()) {
					JavaClass target = dependency.getTargetClass().getBaseComponentType();
					if (isOurs(target) && !allowed.contains(ALL) && !unit(target).equals(from)
							&& !allowed.contains(unit(target))) {
						events.add(SimpleConditionEvent.violated(dependency, dependency.getDescription()));
					}
				}
			}

		};
	}

	private static ArchCondition<JavaClass> dependOnNothingOutsideBut(List<String> packages) {
		return new ArchCondition<>("depend on nothing outside but " + packages) {

			@Override
			public void check(JavaClass origin, ConditionEvents events) {
				for (Dependency dependency : origin.getDirectDependenciesFromSelf()) {
					JavaClass target = dependency.getTargetClass().getBaseComponentType();
					boolean allowed = target.isPrimitive() || isOurs(target)
							|| packages.stream().anyMatch((name) -> isIn(target, name));
					if (!allowed) {
						events.add(SimpleConditionEvent.violated(dependency, dependency.getDescription()));
					}
				}
			}

		};
	}

	private static DescribedPredicate<JavaClass> areOutsideTheSeam() {
		return DescribedPredicate.describe("are not " + String.join(" or ", TIME_AND_THREADS), (candidate) -> {
			for (String seam : TIME_AND_THREADS) {
				if (candidate.getName().equals(seam) || candidate.getName().startsWith(seam + "$")) {
					return false;
				}
			}
			return true;
		});
	}

	private static DescribedPredicate<JavaAccess<?>> readsAClockSleepsOrStartsThreads() {
		return DescribedPredicate.describe("reads a clock, sleeps or starts threads", (access) -> {
			AccessTarget target = access.getTarget();
			JavaClass owner = target.getOwner();
			String name = target.getName();
			return owner.isEquivalentTo(Thread.class) && name.equals("sleep")
					|| owner.isEquivalentTo(System.class) && Set.of("currentTimeMillis", "nanoTime").contains(name)
					|| owner.isEquivalentTo(Instant.class) && name.equals("now")
					|| owner.isEquivalentTo(Executors.class) && name.startsWith("new");
		});
	}

	private static ArchCondition<JavaClass> resideInANullMarkedPackage() {
		return new ArchCondition<>("reside in a package whose package-info is @NullMarked") {

			@Override
			public void check(JavaClass origin, ConditionEvents events) {
				boolean marked = origin.getPackage().tryGetAnnotationOfType(NullMarked.class).isPresent();
				if (!marked) {
					events.add(SimpleConditionEvent.violated(origin,
							"%s has no @NullMarked package-info".formatted(origin.getPackageName())));
				}
			}

		};
	}

	private static boolean isOurs(JavaClass candidate) {
		return isIn(candidate, BASE);
	}

	private static boolean isIn(JavaClass candidate, String name) {
		return candidate.getPackageName().equals(name) || candidate.getPackageName().startsWith(name + ".");
	}

	private static String unit(JavaClass candidate) {
		Matcher matcher = PACKAGE.matcher(candidate.getPackageName());
		if (!matcher.matches()) {
			throw new IllegalArgumentException(candidate.getName() + " is not in " + BASE);
		}
		return (matcher.group(1) != null) ? matcher.group(1) : ROOT;
	}

}
