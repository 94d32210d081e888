package io.distributedlock.backend.jdbc;

import com.zaxxer.hikari.HikariDataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the URL of a database in messages.
 */
class JdbcAddressTests {

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			jdbc:postgresql://db:5432/shop?user=u&password=s3cret     | jdbc:postgresql://db:5432/shop
			jdbc:postgresql://u:s3cret@db/shop                        | jdbc:postgresql://db/shop
			jdbc:postgresql://a:1,b:2/shop?password=s3c@ret           | jdbc:postgresql
			jdbc:postgresql://u:s3;cret@db/shop                       | jdbc:postgresql
			jdbc:postgresql://u:s3?cret@db/shop                       | jdbc:postgresql
			jdbc:postgresql://u:s3c@ret@db/shop                       | jdbc:postgresql
			jdbc:mysql://u:s3cret@a,v:s3cret@b/shop                   | jdbc:mysql
			jdbc:mysql://u:s3cret@db:3306/shop?useSSL=false           | jdbc:mysql://db:3306/shop
			jdbc:mysql://address=(host=db)(user=u)(password=s3cret)/x | jdbc:mysql
			jdbc:mariadb:sequential://a,b/shop?password=s3cret        | jdbc:mariadb:sequential://a,b/shop
			jdbc:sqlserver://db:1433;user=u;password=s3cret           | jdbc:sqlserver://db:1433
			jdbc:oracle:thin:u/s3cret@db:1521:shop                    | jdbc:oracle:thin:db:1521:shop
			jdbc:oracle:thin:u/s3cret@//db:1521/shop                  | jdbc:oracle:thin://db:1521/shop
			jdbc:oracle:thin:u/s3;cret@db:1521:shop                   | jdbc:oracle
			jdbc:oracle:thin:@//db:1521/shop                          | jdbc:oracle:thin://db:1521/shop
			jdbc:teradata://db/USER=u,PASSWORD=s3cret                 | jdbc:teradata
			jdbc:h2:./shop@home                                       | jdbc:h2
			jdbc:db2://db:50000/shop:user=u;password=s3cret;          | jdbc:db2://db:50000/shop
			jdbc:h2:mem:shop;USER=u;PASSWORD=s3cret                   | jdbc:h2:mem:shop
			jdbc:h2:tcp://db:9092/~/shop                              | jdbc:h2:tcp://db:9092/~/shop
			""")
	void secretsAndParametersAreLeftOut(String url, String shown) {
		assertThat(JdbcAddress.withoutSecrets(url)).isEqualTo(shown);
	}

	@Test
	void urlIsFoundWithoutAConnection() {
		HikariDataSource pool = new HikariDataSource();
		pool.setJdbcUrl("jdbc:h2:mem:pool");
		JdbcDataSource driver = new JdbcDataSource();
		driver.setURL("jdbc:h2:mem:driver");

		assertThat(JdbcAddress.of(pool)).isEqualTo("jdbc:h2:mem:pool");
		assertThat(JdbcAddress.of(driver)).isEqualTo("jdbc:h2:mem:driver");
		assertThat(JdbcAddress.of(new LazyConnectionDataSourceProxy(new DriverManagerDataSource("jdbc:h2:mem:spring"))))
			.isEqualTo("jdbc:h2:mem:spring");
	}

}
