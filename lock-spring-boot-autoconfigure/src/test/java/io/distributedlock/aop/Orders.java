package io.distributedlock.aop;

import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import io.distributedlock.DistributedLock;

/**
 * Methods with many kinds of locks.
 */
public class Orders {

	@DistributedLock("#order.id")
	public void byName(@Nullable Order order) {
	}

	@DistributedLock(key = "#p0.id")
	public void byP(Order order) {
	}

	@DistributedLock(key = "#a0.id()")
	public void byA(Order order) {
	}

	@DistributedLock("#id")
	public void plain(long id) {
	}

	@DistributedLock("#order.region + '/' + #part")
	public void joined(Order order, int part) {
	}

	@DistributedLock(name = "order", key = "#id")
	public void named(long id) {
	}

	@DistributedLock(name = "order-${region}", key = "#id")
	public void namedByProperty(long id) {
	}

	@DistributedLock(name = "all-orders")
	public void nameOnly(long id) {
	}

	@DistributedLock
	public void bare(long id, String[] texts) {
	}

	@DistributedLock
	public void bare(List<String> texts) {
	}

	@DistributedLock("method.name + '-' + targetClass.simpleName + '-' + args[0].region + '-' + target.text()")
	public void rootProperties(Order order) {
	}

	public String text() {
		return "target";
	}

	@DistributedLock("'fixed'")
	public void literal() {
	}

	@DistributedLock("7")
	public void number() {
	}

	@DistributedLock("T(java.lang.Math).abs(#id)")
	public void type(int id) {
	}

	@DistributedLock("#ids")
	public void several(List<String> ids) {
	}

	@DistributedLock("#orders.![region]")
	public void projected(List<Order> orders) {
	}

	@DistributedLock("#map[id]")
	public void entry(Map<String, String> map) {
	}

	@DistributedLock("'{orders}:' + #id")
	public void hashTag(int id) {
	}

	@DistributedLock("#value + '!'")
	public void anything(Object value) {
	}

	@DistributedLock(name = "object", key = "#value")
	public void namedObject(@Nullable Object value) {
	}

	public record Order(long id, String region) {
	}

}
