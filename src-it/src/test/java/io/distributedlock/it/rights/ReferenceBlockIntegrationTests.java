package io.distributedlock.it.rights;

import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Tests for {@link ReferenceBlock}.
 */
class ReferenceBlockIntegrationTests {

	@Test
	void linesOfTheNamedBlockAreReturned() {
		List<String> document = List.of("```", "other", "```", "  <!-- mine -->", "  ```sql", "  one", "", "  two",
				"  ```", "```", "third", "```");

		assertThat(ReferenceBlock.lines("mine", document)).containsExactly("one", "two");
	}

	@Test
	void missingBlockIsNamed() {
		assertThatThrownBy(() -> ReferenceBlock.lines("mine", List.of("```", "other", "```")))
			.hasMessageContaining("needs exactly one line '<!-- mine -->'");
		assertThatThrownBy(() -> ReferenceBlock.lines("mine", List.of("<!-- mine -->", "text")))
			.hasMessageContaining("has no block of code in the line after '<!-- mine -->'");
		assertThatThrownBy(() -> ReferenceBlock.lines("mine", List.of("<!-- mine -->", "```", "```")))
			.hasMessageContaining("has no block of code");
	}

	@Test
	void blockThatIsThereTwiceIsNamed() {
		assertThatThrownBy(() -> ReferenceBlock.lines("mine",
				List.of("<!-- mine -->", "```", "a", "```", "<!-- mine -->", "```", "b", "```")))
			.hasMessageContaining("needs exactly one line '<!-- mine -->'");
	}

}
