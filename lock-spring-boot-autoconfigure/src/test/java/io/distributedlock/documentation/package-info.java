/**
 * Tests of the documentation: links, sizes, words, and every snippet.
 */
@NullMarked
package io.distributedlock.documentation;

import org.jspecify.annotations.NullMarked;
