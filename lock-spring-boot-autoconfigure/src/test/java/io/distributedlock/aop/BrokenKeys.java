package io.distributedlock.aop;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.params.provider.Arguments;

import io.distributedlock.DistributedLock;

/**
 * Keys that are refused at startup, each with the text of the error.
 */
class BrokenKeys {

	static Stream<Arguments> all() {
		return Arrays.stream(BrokenKeys.class.getDeclaredMethods())
			.filter((method) -> method.isAnnotationPresent(Says.class))
			.map((method) -> Arguments.of(method, method.getAnnotation(Says.class).value()));
	}

	@Retention(RetentionPolicy.RUNTIME)
	@interface Says {

		String value();

	}

	@Says("write 'fixed' in quotes for the text, or use the attribute name")
	@DistributedLock("fixed")
	void bareWord(long id) {
	}

	@Says("write 'id' in quotes for the text, #id for the parameter, or use")
	@DistributedLock("id")
	void bareParameter(long id) {
	}

	@Says("reads the property id of the root object")
	@DistributedLock("'order-' + id")
	void bareParameterInside(long id) {
	}

	@Says("reads the property id of the root object")
	@DistributedLock("#root.id")
	void propertyOfRootVariable(long id) {
	}

	@Says("reads the property id of the root object")
	@DistributedLock("#name.substring(id)")
	void propertyAsArgument(String name, int id) {
	}

	@Says("`prefix()` calls a method of the root object, which has only")
	@DistributedLock("prefix() + #id")
	void methodOfRoot(long id) {
	}

	@Says("reads the unknown variable #order; known are #a0, #id, #p0")
	@DistributedLock("#order.id")
	void unknownVariable(long id) {
	}

	@Says("reads the unknown variable #p1")
	@DistributedLock("#p1")
	void unknownPosition(long id) {
	}

	@Says("reads the unknown variable #id; the method has no parameters")
	@DistributedLock("#id")
	void noParameters() {
	}

	@Says("reads the unknown variable #other")
	@DistributedLock("#ids.?[#this > #other]")
	void unknownVariableInSelection(List<Integer> ids) {
	}

	@Says("#hash(#id) calls a function, and there is none")
	@DistributedLock("#hash(#id)")
	void function(long id) {
	}

	@Says("is a list in braces; a key is an expression as it is: write for example #id")
	@DistributedLock("{#id}")
	void braces(long id) {
	}

	@Says("unknown variable")
	@DistributedLock("{#id, #ohter}")
	void listOfKeys(long id, long other) {
	}

	@Says("unknown variable")
	@DistributedLock({ "#id", "#ohter" })
	void severalExpressions(long id, long other) {
	}

	@Says("is a map, which is no key")
	@DistributedLock("{id: #id}")
	void map(long id) {
	}

	@Says("a key is an expression as it is, without #{} or ${}: write for example #id")
	@DistributedLock("#{#id}")
	void template(long id) {
	}

	@Says("a key is an expression as it is, without #{} or ${}: write for example #id")
	@DistributedLock("${id}")
	void placeholder(long id) {
	}

	@Says("'${region}:' is taken as it stands")
	@DistributedLock("'${region}:' + #id")
	void placeholderInText(long id) {
	}

	@Says("'#{id}' is taken as it stands")
	@DistributedLock("'#{id}'")
	void templateInText(long id) {
	}

	@Says("'order-#id' is taken as it stands, nothing is put in for id; write #id outside of quotes")
	@DistributedLock("'order-#id'")
	void variableInText(long id) {
	}

	@Says("'order-{id}' is taken as it stands, nothing is put in for id; write #id outside of quotes")
	@DistributedLock("'order-{id}'")
	void bracesInText(long id) {
	}

	@Says("is no valid expression")
	@DistributedLock("#id +")
	void broken(long id) {
	}

	@Says("is no valid expression")
	@DistributedLock("'unclosed")
	void unclosed() {
	}

	@Says("is blank; omit it or write an expression")
	@DistributedLock("")
	void empty() {
	}

	@Says("is blank; omit it or write an expression")
	@DistributedLock("  ")
	void blank() {
	}

	@Says("yields null")
	@DistributedLock("null")
	void nothing() {
	}

	@Says("is blank and so no key")
	@DistributedLock("' '")
	void blankText() {
	}

}
