package io.distributedlock.benchmarks.report;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class TableTests {

	private final Table table = Table.of("Redis", "", "pairs/s").row("a | b", "1,000").row("longer", "9");

	@Test
	void aPageGetsAMarkdownTable() {
		assertThat(this.table.markdown()).isEqualTo("""
				**Redis**

				|  | pairs/s |
				|---|---:|
				| a \\| b | 1,000 |
				| longer | 9 |
				""");
	}

	@Test
	void aTerminalGetsAlignedColumns() {
		assertThat(this.table.plain()).isEqualTo("""
				Redis
				          pairs/s
				  a | b     1,000
				  longer        9
				""");
	}

	@Test
	void aRowHasACellForEachColumn() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.table.row("one"))
			.withMessageContaining("1 cells instead of 2");
	}

	@Test
	void numbersHaveAsManyDigitsAsAreWorthReading() {
		assertThat(Table.number(12_345.6)).isEqualTo("12,346");
		assertThat(Table.number(45.64)).isEqualTo("45.6");
		assertThat(Table.number(0.784)).isEqualTo("0.78");
	}

}
