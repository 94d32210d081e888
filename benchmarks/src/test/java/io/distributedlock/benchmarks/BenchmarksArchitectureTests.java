package io.distributedlock.benchmarks;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;
import org.junit.jupiter.api.Test;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

/**
 * Checks the dependencies between the packages of the benchmarks.
 */
class BenchmarksArchitectureTests {

	private static final String BASE = "io.distributedlock.benchmarks";

	private final JavaClasses classes = new ClassFileImporter().withImportOption(new ImportOption.DoNotIncludeTests())
		.importPackages(BASE);

	@Test
	void packagesHaveNoCycles() {
		SlicesRuleDefinition.slices().matching(BASE + ".(*)..").should().beFreeOfCycles().check(this.classes);
	}

	@Test
	void whatIsMeasuredKnowsNoScenario() {
		noClasses().that()
			.resideInAnyPackage(BASE + ".contest..", BASE + ".measure..", BASE + ".report..")
			.should()
			.dependOnClassesThat()
			.resideInAnyPackage(BASE, BASE + ".scenario..", BASE + ".documentation..")
			.check(this.classes);
	}

	@Test
	void onlyTheCommandWritesDocumentation() {
		noClasses().that()
			.resideOutsideOfPackages(BASE, BASE + ".documentation..")
			.should()
			.dependOnClassesThat()
			.resideInAPackage(BASE + ".documentation..")
			.check(this.classes);
	}

}
