package io.distributedlock.sample;

import com.fasterxml.jackson.annotation.JsonFormat;

/**
 * The stock of an order.
 *
 * @param id the order
 * @param stock how many are left
 * @param lastToken the fencing token of the last write; text in JSON, because readers may
 * lose digits of such large numbers
 * @param changedBy the instance that wrote last
 */
public record Order(long id, int stock, @JsonFormat(shape = JsonFormat.Shape.STRING) long lastToken, String changedBy) {

}
