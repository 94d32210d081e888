package io.distributedlock.engine;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RenewalCalls}.
 */
class RenewalCallsTests {

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			# due | further | sent with them
			    1 |       0 |   0
			   30 |      50 |  50
			   30 |      90 |  70
			   30 |     500 | 470
			  100 |      50 |   0
			  100 |     130 | 100
			  130 |      50 |  50
			  130 |      80 |  70
			""")
	void renewalsThatAreDueSoonFillCalls(int due, int further, int sent) {
		assertThat(RenewalCalls.filling(due, further, 100)).isEqualTo(sent);
	}

	@ParameterizedTest
	@CsvSource({ "1, 5, 5", "3, 0, 0" })
	void storeWithoutBatchesIsSentAllThatAreDueSoon(int due, int further, int sent) {
		assertThat(RenewalCalls.filling(due, further, 1)).isEqualTo(sent);
	}

}
