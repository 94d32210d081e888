package io.distributedlock.actuate;

import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link EndpointKeys}.
 */
class EndpointKeysTests {

	@ParameterizedTest
	@ValueSource(strings = { "order:42", "a//b", "/a", "a/", "a b", "grün", "a,b", "100%" })
	void keyIsExact(String key) {
		assertThat(EndpointKeys.single(key)).isEqualTo(key);
	}

	@Test
	void severalKeysAreRefusedAndNotJoined() {
		assertThatExceptionOfType(InvalidEndpointRequestException.class)
			.isThrownBy(() -> EndpointKeys.single(List.of("a", "b")));
	}

	@Test
	void blankKeyIsRefused() {
		assertThatExceptionOfType(InvalidEndpointRequestException.class).isThrownBy(() -> EndpointKeys.single(" "));
	}

}
