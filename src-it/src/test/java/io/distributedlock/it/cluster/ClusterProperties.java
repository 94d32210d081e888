package io.distributedlock.it.cluster;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * What a JVM of a cluster is told.
 *
 * @param folder where the JVMs meet and write their logs
 * @param name the name of this JVM
 * @param threads how many threads lock
 * @param keys what they lock
 * @param pause the longest pause inside a body and between two bodies
 * @param waitTime how long a lock is waited for
 * @param counting whether bodies count in the database
 * @param seed where the random numbers begin
 * @param fault what is broken on purpose
 */
@ConfigurationProperties("cluster")
record ClusterProperties(Path folder, String name, int threads, List<String> keys, Duration pause, Duration waitTime,
		boolean counting, long seed, @DefaultValue("NONE") PlantedFault fault) {
}
