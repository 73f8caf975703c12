// libi2c and the ioctls of Linux's i2c-dev, which Swift cannot call because ioctl(2) is variadic. Like libi2c's
// own functions, these return a negative errno on failure.
#ifndef ANICCA_CI2C_H
#define ANICCA_CI2C_H

#include <errno.h>
#include <i2c/smbus.h>
#include <linux/i2c-dev.h>
#include <linux/i2c.h>
#include <sys/ioctl.h>

/// Reads the adapter's functions as I2C_FUNC_… bits.
static inline int ci2c_functions(int bus, unsigned long *functions)
{
    return ioctl(bus, I2C_FUNCS, functions) < 0 ? -errno : 0;
}

/// Selects the chip for the SMBus functions of libi2c; -EBUSY while a kernel driver owns it.
static inline int ci2c_select(int bus, unsigned char address)
{
    return ioctl(bus, I2C_SLAVE, (unsigned long)address) < 0 ? -errno : 0;
}

/// Performs the messages as one transaction with repeated starts. Returns the number of messages done.
static inline int ci2c_transfer(int bus, struct i2c_msg *messages, unsigned int count)
{
    struct i2c_rdwr_ioctl_data transaction = {.msgs = messages, .nmsgs = count};
    int done = ioctl(bus, I2C_RDWR, &transaction);

    return done < 0 ? -errno : done;
}

#endif
