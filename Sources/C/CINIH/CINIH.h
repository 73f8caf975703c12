/* libinih for Swift. */
#ifndef ANICCA_CINIH_H
#define ANICCA_CINIH_H

#include <ini.h>

#endif
