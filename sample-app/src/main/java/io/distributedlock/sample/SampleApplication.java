package io.distributedlock.sample;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.scheduling.annotation.EnableScheduling;

/**
 * Starts the sample. Start it a second time with {@code --server.port=8081}: both
 * instances share the database and the locks in it.
 */
@SpringBootApplication
@EnableScheduling
public class SampleApplication {

	public static void main(String[] args) {
		// H2's classes read it once, when the first of them is loaded. Without it the
		// database that one instance opens for the others listens on every interface.
		System.setProperty("h2.bindAddress", "127.0.0.1");
		SpringApplication application = new SpringApplication(SampleApplication.class);
		application.addListeners(new SampleFolder());
		application.run(args);
	}

}
